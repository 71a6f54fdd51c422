import type { RedactionFinding } from '../../../protocol/channels/exports';
import type { ConversationHead, ConversationItem, DiffHunk } from '../../../protocol/conversation';
import { isJsonObject } from '../../util/json';
import { SECRET_RULES, type SecretRule } from './secretRules';
import { visibleText } from './visibleText';

/** A secret in a text, by its offsets in UTF-16 units. */
interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/**
 * Every secret, or the name before it, contains one of these. Almost no text does, so the other checks are rarely
 * needed.
 */
const HINT =
  /-----BEGIN|-----END|sk-|gh[pousr]_|github_pat|gl[a-z]{1,5}[-_]|A[KSB]IA|ACCA|key|AIza|ya29|GOCSPX|1\/\/0|xox|xapp-|slack|[sr]k_|whsec|eyJ|npm_|pypi-|hf_|SG\.|_v1_|dapi|hv[sbr]\.|dckr|shp|:AA|secret|sig=|:\/\/|auth|bearer|pass|pwd|token|credential|cookie|login|fig|pscale|sntry|r8_|gsk_|ntn_|lin_|xai-|pplx|sb[p_]|dp\.|AT[AC]TT|NRAK|atlasv1|PMAK|pul-|rubygems|lsv2|nvapi|ops_|fm2_|SK|curl|mysql|mariadb|webhooks/i;

/**
 * Maximum number of passes. Any later match would be a product of the redaction; no text is known to need more than
 * two.
 */
const MAX_PASSES = 5;

/** Replaces secrets with `[redacted: <kind>]`, and counts them. A text without secrets is returned unchanged. */
export class Redactor {
  readonly #findings = new Map<string, { count: number; sample: string }>();

  /** The findings so far, most frequent first. */
  get findings(): readonly RedactionFinding[] {
    return [...this.#findings]
      .map(([kind, { count, sample }]) => ({ kind, count, sample }))
      .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
  }

  text(text: string): string {
    let redacted = text;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const secrets = findSecrets(redacted);
      if (secrets.length === 0) break;
      redacted = this.#replace(redacted, secrets);
    }
    return redacted;
  }

  /**
   * Redacts a text that may be truncated, with "…" at its end. Its last word is then left out, because it may be the
   * beginning of a secret, too short to be recognized.
   */
  label(text: string): string {
    return this.text(text.endsWith('…') ? text.replace(/\S{1,1000}…$/, '…') : text);
  }

  /** Redacts the lines of one text, in which a secret may span several lines. The number of lines stays the same. */
  lines(lines: readonly string[]): readonly string[] {
    let redacted = lines;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const text = redacted.join('\n');
      const secrets = findSecrets(text);
      if (secrets.length === 0) break;
      for (const secret of secrets) this.#count(secret, text);
      redacted = replaceInLines(redacted, secrets);
    }
    return redacted;
  }

  #replace(text: string, secrets: readonly SecretSpan[]): string {
    for (const secret of secrets) this.#count(secret, text);
    return replaceAll(text, secrets);
  }

  #count({ kind, start, end }: SecretSpan, text: string): void {
    const known = this.#findings.get(kind);
    if (known !== undefined) known.count += 1;
    else this.#findings.set(kind, { count: 1, sample: sampleOf(text, start, end) });
  }
}

const SAMPLE_LENGTH = 4;
/** Maximum length of a secret that is read for a sample, because colour codes may be inside it. */
const MAX_SAMPLED = 4_000;
/** The beginning of a placeholder, which is not a secret. */
const REDACTED = '[redacted:';

function replaceAll(text: string, secrets: readonly SecretSpan[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, kind } of secrets) {
    parts.push(text.slice(at, start), `[redacted: ${kind}]`);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/** `secrets` have offsets in the lines joined by line breaks. */
function replaceInLines(lines: readonly string[], secrets: readonly SecretSpan[]): readonly string[] {
  let start = 0;
  let first = 0;
  return lines.map((line) => {
    const from = start;
    const end = from + line.length;
    start = end + 1;
    while ((secrets[first]?.end ?? Infinity) <= from) first++;
    const inside: SecretSpan[] = [];
    for (let at = first; (secrets[at]?.start ?? Infinity) < end; at++) {
      const secret = secrets[at];
      if (secret === undefined) break;
      const range = { start: Math.max(secret.start - from, 0), end: Math.min(secret.end - from, line.length) };
      inside.push({ ...range, kind: secret.kind });
    }
    return replaceAll(line, inside);
  });
}

/** The first visible characters. */
function sampleOf(text: string, start: number, end: number): string {
  const secret = text.slice(start, Math.min(end, start + MAX_SAMPLED));
  return `${(visibleText(secret)?.text ?? secret).slice(0, SAMPLE_LENGTH)}…`;
}

type FoundSpan = SecretSpan & { readonly rule: number };

/**
 * The secrets in order; overlapping ones are merged. The visible text is searched as well, because invisible
 * characters, like the colour codes of `grep`, may be inside a secret, or may be all that separates it from the text
 * before it.
 */
function findSecrets(text: string): readonly SecretSpan[] {
  const spans = spansIn(text);
  const visible = visibleText(text);
  for (const { start, end, ...span } of visible === null ? [] : spansIn(visible.text))
    spans.push({ ...span, start: visible?.indexOf(start) ?? start, end: (visible?.indexOf(end - 1) ?? end) + 1 });
  spans.sort((a, b) => a.start - b.start || a.rule - b.rule);
  const merged: FoundSpan[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else {
      const { kind, rule } = span.rule < last.rule ? span : last;
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end), kind, rule };
    }
  }
  return merged;
}

function spansIn(text: string): FoundSpan[] {
  const spans: FoundSpan[] = [];
  if (!HINT.test(text)) return spans;
  SECRET_RULES.forEach((rule, at) => {
    if (text.includes(rule.hint ?? '')) addSpans(rule, at, text, spans);
  });
  return spans;
}

function addSpans(rule: SecretRule, at: number, text: string, spans: FoundSpan[]): void {
  if ('find' in rule) {
    for (const { start, end } of rule.find(text)) spans.push({ start, end, kind: rule.kind, rule: at });
    return;
  }
  for (const match of text.matchAll(rule.expression)) {
    const before = match[1] ?? '';
    const part = match[2];
    const found = part ?? match[0];
    const done = found.indexOf(REDACTED);
    const secret = done < 0 ? found : found.slice(0, done);
    if (secret === '' || rule.isSecret?.(secret, before, text, match.index) === false) continue;
    const start = match.index + (part === undefined ? 0 : before.length);
    spans.push({ start: rule.startOf?.(text, start) ?? start, end: start + secret.length, kind: rule.kind, rule: at });
  }
}

/** Fields with identifiers of this code or of the format. They contain no secrets and must not change. */
const NAMES: ReadonlySet<string> = new Set(['kind', 'role', 'path', 'uuid', 'id', 'toolUseId', 'mediaType', 'code']);

/** The item or head with all its texts redacted. */
export function redactItem<T extends ConversationItem | ConversationHead>(item: T, redactor: Redactor): T {
  // SAFETY: strings are replaced by strings, and nothing else changes.
  return redactValue(item, redactor) as T;
}

function redactValue(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.label(value);
  if (Array.isArray(value)) return (value as readonly unknown[]).map((each) => redactValue(each, redactor));
  if (!isJsonObject(value)) return value;
  if (isCutText(value)) return { text: redactor.text(value.text), more: value.more };
  // SAFETY: only hunks have lines.
  if ('oldStart' in value && 'lines' in value) return redactHunk(value as unknown as DiffHunk, redactor);
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, each]) => [key, NAMES.has(key) ? each : redactValue(each, redactor)] as const),
  );
}

function isCutText(value: object): value is { readonly text: string; readonly more: number } {
  return 'text' in value && typeof value.text === 'string' && 'more' in value && typeof value.more === 'number';
}

/** Redacts both versions of the file, because a secret may span several lines of either. */
function redactHunk(hunk: DiffHunk, redactor: Redactor): DiffHunk {
  const lines = [...hunk.lines];
  for (const side of ['added', 'removed'] as const) {
    const places = [...lines.keys()].filter((at) => lines[at]?.kind !== side);
    const redacted = redactor.lines(places.map((at) => lines[at]?.text ?? ''));
    places.forEach((at, index) => {
      const line = lines[at];
      if (line !== undefined) lines[at] = { ...line, text: redacted[index] ?? line.text };
    });
  }
  return { ...hunk, lines };
}
