/** Where a link of a transcript may lead; null: nowhere, it is shown as text. */
export type LinkTarget = 'web' | 'file';

const MAX_HREF_CHARS = 2048;

/**
 * Only the web, mail, and files by path. Paths of other machines are none: to look at `\\server\share` tells the server
 * who looks.
 */
export function linkTarget(href: string): LinkTarget | null {
  if (href === '' || href.length > MAX_HREF_CHARS) return null;
  // Browsers leave out tabs and line ends within a scheme; nothing honest has any of these.
  // eslint-disable-next-line no-control-regex -- They are what is looked for.
  if (/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/.test(href)) return null;
  if (/^https?:\/\/[^/\\\s]/i.test(href)) return 'web';
  if (/^mailto:[^\s@]+@[^\s@]+$/i.test(href)) return 'web';
  if (/^[\\/]{2}|^file:\/\/(?!\/)/i.test(href)) return null;
  if (/^file:\/\/\//i.test(href)) return /^file:\/\/\/[\\/]/i.test(href) ? null : 'file';
  if (href.startsWith('#')) return null;
  // A drive, or a name with a line behind it, is no scheme.
  if (/^[a-z]:[\\/]/i.test(href) || /^[\w-]+(?:\.[\w-]+)+:\d+(?:[:-]\d+)?$/.test(href)) return 'file';
  return /^[a-z][a-z\d+.-]*:/i.test(href) ? null : 'file';
}
