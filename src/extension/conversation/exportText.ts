import type { ExportFormat, RedactionFinding, RedactionPreview } from '../../protocol/channels/exports';
import type { Translate } from '../text/translate';
import { type Formats, shorten } from '../text/formats';
import { MAX_LABEL_CHARACTERS } from '../text/sessionTitle';

const EXTENSIONS: Readonly<Record<ExportFormat, string>> = { markdown: 'md', html: 'html', json: 'json' };

/** A file name that is valid on every file system, made from a session's title. */
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

/** The title that a redacted file is named after. `title`: the displayed title, used if the conversation has none. */
export function titleWithoutSecrets(title: string, preview: RedactionPreview): string {
  const clean = preview.title?.replace(/\s+/g, ' ').trim() ?? '';
  return clean === '' ? title : shorten(clean, MAX_LABEL_CHARACTERS);
}

/** What an export would redact: 2 × github-token (ghp_…), 1 × password (hunt…). */
export function redactionText(secrets: readonly RedactionFinding[], formats: Formats, t: Translate): string {
  return secrets.map(({ kind, count, sample }) => t('{0} × {1} ({2})', formats.number(count), kind, sample)).join(', ');
}
