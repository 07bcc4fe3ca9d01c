/** How a browser takes a response: as a download, or as what it shows. A name can have characters of any script. */
export function contentDisposition(type: "attachment" | "inline", filename: string | null): string {
  if (filename === null) return type;
  // RFC 8187 allows fewer characters than URLs do.
  const name = encodeURIComponent(filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `${type}; filename*=UTF-8''${name}`;
}
