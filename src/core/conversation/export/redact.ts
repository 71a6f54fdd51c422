import type { RedactionFinding } from '../../../protocol/channels/exports';
import type { ConversationHead, ConversationItem, DiffHunk } from '../../../protocol/conversation';
import { isJsonObject } from '../../util/json';
import { POSSIBLE_RULES } from './possibleSecrets';
import type { SecretRule } from './secretRule';
import { SECRET_RULES, TOKEN_RULES } from './secretRules';
import { isMixed, isScrambled } from './secretValues';
import { decodedText, joinedText, type TextReading, visibleText } from './visibleText';

/** A secret in a text, by its offsets in UTF-16 units. */
interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/**
 * Maximum number of passes. Any later match would be a product of the redaction; no text is known to need more than
 * two.
 */
const MAX_PASSES = 5;

/** Replaces secrets with `[redacted: <kind>]`, and counts them. A text without secrets is returned unchanged. */
export class Redactor {
  readonly #rules: readonly SecretRule[];
  readonly #findings = new Map<string, { count: number; sample: string }>();

  /** @param what `possible`: what may be a secret, for texts whose secrets are already redacted */
  constructor(what: 'secrets' | 'possible' = 'secrets') {
    this.#rules = what === 'secrets' ? SECRET_RULES : POSSIBLE_RULES;
  }

  /** The findings so far, most frequent first. */
  get findings(): readonly RedactionFinding[] {
    return [...this.#findings]
      .map(([kind, { count, sample }]) => ({ kind, count, sample }))
      .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
  }

  text(text: string): string {
    let redacted = text;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const secrets = findSecrets(redacted, this.#rules);
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
      const secrets = findSecrets(text, this.#rules);
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
 * The secrets in order; overlapping ones are merged. Other readings of the text are searched as well: without invisible
 * characters, like the colour codes of `grep`, which may be inside a secret, or may be all that separates it from the
 * text before it; decoded; and without the line breaks that split words.
 */
function findSecrets(text: string, rules: readonly SecretRule[]): readonly SecretSpan[] {
  const spans = spansIn(text, rules);
  for (const reading of [visibleText(text), decodedText(text)]) addRead(reading, rules, spans);
  const tokenRules = rules === SECRET_RULES ? TOKEN_RULES : [];
  addRead(tokenRules.length > 0 ? joinedText(text) : null, tokenRules, spans, (start, end) =>
    isSplitSecret(text.slice(start, end)),
  );
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

function addRead(
  reading: TextReading | null,
  rules: readonly SecretRule[],
  spans: FoundSpan[],
  isSecret: (start: number, end: number) => boolean = () => true,
): void {
  if (reading === null) return;
  for (const span of spansIn(reading.text, rules)) {
    const start = reading.startOf(span.start);
    const end = reading.endOf(span.end);
    if (isSecret(start, end)) spans.push({ ...span, start, end });
  }
}

/** Whether each part of a secret that is split over lines looks like one: the next line may begin with a word. */
function isSplitSecret(secret: string): boolean {
  const [, ...rest] = secret.split(/\r?\n/);
  return rest.length > 0 && rest.every((part) => isMixed(part) || isScrambled(part));
}

function spansIn(text: string, rules: readonly SecretRule[]): FoundSpan[] {
  const spans: FoundSpan[] = [];
  for (const rule of rules) if (hasHint(rule, text)) addSpans(rule, SECRET_RULES.indexOf(rule), text, spans);
  return spans;
}

function hasHint({ hint = '' }: SecretRule, text: string): boolean {
  return typeof hint === 'string' ? text.includes(hint) : hint.some((each) => text.includes(each));
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
    spans.push({ start, end: start + secret.length, kind: rule.kind, rule: at });
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
