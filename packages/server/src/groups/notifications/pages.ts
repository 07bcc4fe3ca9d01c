import { type Html, html } from "../../reference/html.ts";
import { wholePage } from "../../reference/whole.ts";
import { style } from "./style.ts";

/** A page and its style sheet, for a reply. */
interface Rendered {
  html: string;
  style: string;
}

const page = (title: string, content: Html): Rendered => ({
  html: wholePage(
    { title, style },
    html`<main>
<h1>${title}</h1>
${content}
</main>`,
  ),
  style,
});

interface Shown {
  handle: string;
  list: string;
}

const mailOf = (list: string): Html =>
  list === "digest" ? html`mail with a digest of the day` : html`mail about <code>${list}</code>`;

/** Asks whether to end mail of this kind. Its button sends the same as a mail provider's one-click request. */
export const renderAsk = ({ handle, list }: Shown): Rendered =>
  page(
    "Stop these mails?",
    html`<p>The account <b>${handle}</b> gets ${mailOf(list)}.</p>
<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button>Unsubscribe</button>
</form>
<p class="soft">Its notifications stay as they are. Nothing changes if you close this page.</p>`,
  );

export const renderDone = ({ handle, list }: Shown): Rendered =>
  page(
    "Unsubscribed",
    html`<p>The account <b>${handle}</b> gets no more ${mailOf(list)}.</p>
    <p class="soft">Its notifications stay as they are. To get this mail again, ${
      list === "digest"
        ? html`set <code>preferences.emailDigest</code>`
        : html`add the type to <code>preferences.emailTypes</code>`
    } with <code>PATCH /me</code>.</p>`,
  );

export const renderBad = (): Rendered =>
  page(
    "This link does not work",
    html`<p>It is incomplete, or older than a year. Use the link in a newer mail, or change
<code>preferences</code> with <code>PATCH /me</code>.</p>`,
  );
