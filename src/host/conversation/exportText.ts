import type { ExportFormat, RedactionFinding } from '../../shared/api/export';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';

const EXTENSIONS: Readonly<Record<ExportFormat, string>> = { markdown: 'md', html: 'html', json: 'json' };

/** A name that every file system takes, made of a session's title. */
export function exportFileName(
  title: string,
  format: ExportFormat,
): { readonly name: string; readonly extension: string } {
  const extension = EXTENSIONS[format];
  const name = title
    .replace(/[\p{Cc}\\/:*?"<>|\s…]+/gu, ' ')
    .trim()
    .replace(/^\.+|\.+$/g, '');
  return { name: `${name === '' ? 'conversation' : name}.${extension}`, extension };
}

/** What an export would replace: 2 × github-token (ghp_…), 1 × password (hunt…). */
export function redactionText(secrets: readonly RedactionFinding[], formats: Formats, t: Translate): string {
  return secrets.map(({ kind, count, sample }) => t('{0} × {1} ({2})', formats.number(count), kind, sample)).join(', ');
}
