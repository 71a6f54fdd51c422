export interface PanelPage {
  readonly nonce: string;
  /** Value of `webview.cspSource`. */
  readonly source: string;
  readonly script: string;
  readonly stylesheet: string;
  /** BCP 47 tag. */
  readonly language: string;
  readonly title: string;
}

/** The page of a conversation panel. It can load and run only the bundle and its stylesheet. */
export function panelHtml({ nonce, source, script, stylesheet, language, title }: PanelPage): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    'img-src data:',
    `font-src ${source}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escape(language)}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${escape(policy)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(title)}</title>
    <link rel="stylesheet" href="${escape(stylesheet)}">
  </head>
  <body>
    <script nonce="${nonce}" src="${escape(script)}"></script>
  </body>
</html>
`;
}

/** A page with one sentence. */
export function messageHtml(message: string, language: string): string {
  return `<!DOCTYPE html>
<html lang="${escape(language)}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'">
  </head>
  <body><p role="alert">${escape(message)}</p></body>
</html>
`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
