import type { ExportFormat, ExportRequest, RedactionFinding, RedactionPreview } from '../../protocol/channels/exports';
import type { Translate } from '../text/translate';
import { type Formats, shorten } from '../text/formats';
import { MAX_LABEL_CHARACTERS } from '../text/sessionTitle';

const EXPORT_FORMATS: readonly ExportFormat[] = ['markdown', 'html', 'json'];
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

/**
 * The name of a file that does not exist, such as `Plan (2).md`; it is added to `taken`.
 *
 * @param taken names in lower case, because some file systems do not tell cases apart
 */
export function freeName(file: ReturnType<typeof exportFileName>, taken: Set<string>): string {
  const suffix = `.${file.extension}`;
  const stem = file.name.slice(0, -suffix.length);
  let name = file.name;
  for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${stem} (${count})${suffix}`;
  taken.add(name.toLowerCase());
  return name;
}

/** What the export of several conversations would redact. */
export function allPreviews(previews: readonly RedactionPreview[]): RedactionPreview {
  const secrets = sumByKind(previews.flatMap((preview) => preview.secrets));
  const [possible = null] = sumByKind(previews.flatMap((preview) => preview.possible ?? []));
  return { secrets: secrets.toSorted((a, b) => b.count - a.count), possible, title: null };
}

function sumByKind(findings: readonly RedactionFinding[]): readonly RedactionFinding[] {
  const sums = new Map<string, RedactionFinding>();
  for (const finding of findings) {
    const known = sums.get(finding.kind);
    sums.set(finding.kind, known === undefined ? finding : { ...known, count: known.count + finding.count });
  }
  return [...sums.values()];
}

/** The title that a redacted file is named after. `title`: the displayed title, used if the conversation has none. */
export function titleWithoutSecrets(title: string, preview: RedactionPreview): string {
  const clean = preview.title?.replace(/\s+/g, ' ').trim() ?? '';
  return clean === '' ? title : shorten(clean, MAX_LABEL_CHARACTERS);
}

/** The format of a file by its extension: Markdown unless it says otherwise. */
export function formatOf(path: string): ExportFormat {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  if (extension === 'htm') return 'html';
  return EXPORT_FORMATS.find((format) => EXTENSIONS[format] === extension) ?? 'markdown';
}

export type Redaction = Pick<ExportRequest, 'isRedacted' | 'isPossibleRedacted'>;

/** How a conversation is exported if the person asks for nothing else. */
export const WITHOUT_SECRETS: Redaction = { isRedacted: true, isPossibleRedacted: false };
const WITHOUT_POSSIBLE_SECRETS: Redaction = { isRedacted: true, isPossibleRedacted: true };
const WITH_SECRETS: Redaction = { isRedacted: false, isPossibleRedacted: false };

export interface RedactionReport {
  /** Something in the file may be a secret. */
  readonly isWarning: boolean;
  /** What was done about secrets. */
  readonly sentences: readonly string[];
  /** What the person may want instead. */
  readonly others: readonly { readonly label: string; readonly redaction: Redaction }[];
}

/** What an export did about the secrets that were found before it. */
export function redactionReport(
  { secrets, possible }: RedactionPreview,
  { isRedacted, isPossibleRedacted }: Redaction,
  formats: Formats,
  t: Translate,
): RedactionReport {
  if (secrets.length === 0 && possible === null) return { isWarning: false, sentences: [], others: [] };
  if (!isRedacted) {
    const text = t('It contains secrets: whoever gets the file can use them.');
    return {
      isWarning: true,
      sentences: [text],
      others: [{ label: t('Replace Secrets…'), redaction: WITHOUT_SECRETS }],
    };
  }
  const replaced = possible !== null && isPossibleRedacted ? [...secrets, possible] : secrets;
  const sentences = replaced.length === 0 ? [] : [t('Secrets replaced: {0}.', redactionText(replaced, formats, t))];
  const others = [{ label: t('Keep Secrets…'), redaction: WITH_SECRETS }];
  if (possible === null || isPossibleRedacted) return { isWarning: false, sentences, others };
  const left = t('Kept, because it may be secret or only an id: {0}.', redactionText([possible], formats, t));
  const more = { label: t('Replace This, Too…'), redaction: WITHOUT_POSSIBLE_SECRETS };
  return {
    isWarning: true,
    sentences: [...sentences, left],
    others: secrets.length === 0 ? [more] : [more, ...others],
  };
}

/** Secrets by their kinds: 2 × github-token (ghp_…), 1 × password (hunt…). */
export function redactionText(secrets: readonly RedactionFinding[], formats: Formats, t: Translate): string {
  return secrets.map(({ kind, count, sample }) => t('{0} × {1} ({2})', formats.number(count), kind, sample)).join(', ');
}
