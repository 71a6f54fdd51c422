import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom, type Random } from '../support/random';
import { sampleExpression } from '../support/sampleExpression';

/**
 * A kind of secret of a public list of rules (`secretKinds.jsonl`). The values are drawn from its expression; none of
 * them is or was in use.
 */
export interface SecretKind {
  /** The rule's id. */
  readonly id: string;
  readonly source: 'gitleaks' | 'secretlint';
  readonly value: string;
  /** For values of no special form: the names that are beside them, in snake case. */
  readonly names?: readonly string[];
  /** What is directly before and after the value. */
  readonly wrap?: readonly [string, string];
}

/** A secret in a text, as it may be in a transcript. */
export interface PlacedSecret {
  readonly text: string;
  /** The secret as the text has it, which may be escaped. */
  readonly shown: string;
}

export const CONTEXTS = ['shell', 'json', 'yaml', 'http', 'prose'] as const;
export type SecretContext = (typeof CONTEXTS)[number];

/**
 * The rules of gitleaks (`config/gitleaks.toml`, commit b58d3f1, July 2026) and secretlint (`packages/@secretlint`, commit
 * 18346ba, August 2026) that describe a secret. The last lines of the file list the rules that are left out, and why.
 */
export function listKinds(): readonly SecretKind[] {
  const lines = readFileSync(join(__dirname, 'secretKinds.jsonl'), 'utf8').trimEnd().split('\n');
  // SAFETY: the file is part of the tests.
  const rules = lines.map((line) => JSON.parse(line) as SecretKind | { readonly leftOut: string });
  return rules.filter((rule) => 'id' in rule);
}

/** Names beside values that are recognized by their form. They say nothing about the value. */
const NEUTRAL = ['value', 'setting', 'input_value'];

function placeSecret(kind: SecretKind, context: SecretContext, seed: number): PlacedSecret {
  const random = createRandom(seed);
  const value = sampleExpression(kind.value, random);
  const [before, after] = kind.wrap ?? ['', ''];
  const names = kind.names ?? NEUTRAL;
  const name = names[random.below(names.length)] ?? '';
  const place = PLACES[context];
  return place({ name, before, value, after, isNamed: kind.names !== undefined, random });
}

interface Parts {
  readonly name: string;
  readonly before: string;
  readonly value: string;
  readonly after: string;
  readonly isNamed: boolean;
  readonly random: Random;
}

const PLACES: Readonly<Record<SecretContext, (parts: Parts) => PlacedSecret>> = {
  shell({ name, before, value, after, random }) {
    const text = before + value + after;
    const quote = /[^\w.:/+=@~,%-]/.test(text) || random.chance(0.5) ? (/["$!]/.test(text) ? "'" : '"') : '';
    const start = random.chance(0.5) ? 'export ' : '';
    const end = random.chance(0.5) ? ' npm start' : '\nexport LEVEL=3';
    return { text: `${start}${upper(name)}=${quote}${text}${quote}${end}`, shown: value };
  },
  json({ name, before, value, after, random }) {
    const key = random.chance(0.5) ? camel(name) : name;
    const space = random.chance(0.5) ? ' ' : '';
    const text = escaped(before) + escaped(value) + escaped(after);
    return { text: `{"region":${space}"eu-west-1","${key}":${space}"${text}","retries":3}`, shown: escaped(value) };
  },
  yaml({ name, before, value, after, random }) {
    const key = random.chance(0.5) ? name : name.replaceAll('_', '-');
    const text = before + value + after;
    if (text.includes('\n')) {
      const indented = (each: string): string => each.replaceAll('\n', '\n    ');
      return { text: `shop:\n  ${key}: |\n    ${indented(text)}\n  port: 80\n`, shown: indented(value) };
    }
    const isSpecial = !/^[A-Za-z0-9]/.test(text) || /: | #|[[\]{}]/.test(text);
    const quote = isSpecial || random.chance(0.5) ? (text.includes('"') ? "'" : '"') : '';
    return { text: `shop:\n  ${key}: ${quote}${text}${quote}\n  port: 80\n`, shown: value };
  },
  http({ name, before, value, after, random }) {
    const text = before + value + after;
    if (/[\s"]/.test(text)) {
      const body = escaped(before) + escaped(value) + escaped(after);
      return { text: `curl https://api.example.com/v1 -d '{"${camel(name)}":"${body}"}'`, shown: escaped(value) };
    }
    if (before === '' && random.chance(0.5)) {
      const shown = encodeURIComponent(value);
      return { text: `GET https://api.example.com/v1/items?${name}=${shown}&page=2 200 OK`, shown };
    }
    const header = `X-${name.split('_').map(capital).join('-')}`;
    return { text: `curl -H '${header}: ${text}' https://api.example.com/v1/items`, shown: value };
  },
  prose({ name, before, value, after, isNamed, random }) {
    const text = escaped(before) + escaped(value) + escaped(after);
    const shown = escaped(value);
    const choice = random.below(3);
    if (choice === 0 && !text.includes('|')) return { text: `| ${upper(name)} | ${text} | production |\n`, shown };
    if (choice === 1 && isNamed)
      return { text: `The ${name.replaceAll('_', ' ')} is ${text}, do not share it.`, shown };
    if (choice === 1) return { text: `I used ${text} for the upload, and it worked.`, shown };
    return { text: `2026-01-02T03:04:05Z INFO [worker-3] retrying ${name}=${text} attempt=2 of=5`, shown };
  },
};

function upper(name: string): string {
  return name.toUpperCase();
}

function camel(name: string): string {
  const [first = '', ...rest] = name.split('_').filter((part) => part !== '');
  return first + rest.map(capital).join('');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** As in a JSON string. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What is left of a secret after a redaction. */
export type Remains = 'found' | 'half-found' | 'missed';

const PLACEHOLDER = /\[redacted: [a-z-]+\]/g;

/** Longest part of a secret that may remain, in characters. */
const MAX_REMAINS = 5;

function remainsOf({ text, shown }: PlacedSecret, redacted: string): Remains {
  if (redacted.includes(shown)) return 'missed';
  const left = redacted.replace(PLACEHOLDER, ' ');
  const around = text.replace(shown, ' ');
  for (const part of shown.split(/\s+|\\[nr]|%0A|%20/)) {
    for (let at = 0; at + MAX_REMAINS < part.length; at++) {
      const piece = part.slice(at, at + MAX_REMAINS + 1);
      if (left.includes(piece) && !around.includes(piece)) return 'half-found';
    }
  }
  return 'found';
}

/** A secret that was not wholly redacted. */
export interface Miss {
  readonly kind: SecretKind;
  readonly context: SecretContext;
  readonly remains: Remains;
  readonly redacted: string;
}

export interface Measured {
  readonly secrets: number;
  readonly misses: readonly Miss[];
}

/** Draws secrets of each kind in each context, and redacts them. */
export function measureRedaction(redact: (text: string) => string, draws: number, seed: number): Measured {
  const misses: Miss[] = [];
  let secrets = 0;
  for (const kind of listKinds()) {
    for (const context of CONTEXTS) {
      for (let draw = 0; draw < draws; draw++) {
        const placed = placeSecret(kind, context, seed + secrets++);
        const redacted = redact(placed.text);
        const remains = remainsOf(placed, redacted);
        if (remains !== 'found') misses.push({ kind, context, remains, redacted });
      }
    }
  }
  return { secrets, misses };
}
