// A reference implementation of the token usage, written from docs/tokens.md with JSON.parse and maps, and without any
// code of src/core/usage: slow, but authoritative.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface SlowCounts {
  input: number;
  output: number;
  writes: number;
  writes1h: number;
  reads: number;
  searches: number;
  fetches: number;
}

const COUNTS = ['input', 'output', 'writes', 'writes1h', 'reads', 'searches', 'fetches'] as const;

export interface SlowSum extends SlowCounts {
  messages: number;
  usd: number;
  unpriced: number;
}

/** A message of one transcript. */
interface SlowMessage extends SlowCounts {
  readonly key: string;
  readonly file: SlowFile;
  timeMs: number | null;
  model: string | null;
  isSidechain: boolean;
  isCopy: boolean;
}

interface SlowFile {
  readonly path: string;
  readonly project: string;
  readonly session: string;
  readonly isAgent: boolean;
  readonly firstMs: number;
}

export interface SlowCache {
  prompt: number;
  read: number;
  /** US dollars. */
  saved: number;
  extra: number;
}

export interface SlowSession {
  readonly own: SlowSum;
  readonly subagents: SlowSum;
  readonly total: SlowSum;
  readonly shared: SlowSum;
}

export interface SlowReckoning {
  readonly total: SlowSum;
  readonly days: Readonly<Record<string, SlowSum>>;
  readonly models: Readonly<Record<string, SlowSum>>;
  readonly projects: Readonly<Record<string, SlowSum>>;
  /** What the cache did, by model. */
  readonly caches: Readonly<Record<string, SlowCache>>;
  /** Keyed by project and session id. */
  readonly sessions: Readonly<Record<string, SlowSession>>;
}

/** US dollars per million tokens, copied by hand from the price list: input, output, 5 m, 1 h, read; long prompts. */
const PRICES: Readonly<Record<string, readonly (readonly number[])[]>> = {
  'claude-opus-5-5': [[4, 20, 5, 8, 0.2]],
  'claude-opus-4-8': [[5, 25, 6.25, 10, 0.5]],
  'claude-sonnet-4-20250514': [[3, 15, 3.75, 6, 0.3]],
  'claude-sonnet-4-5-20250929': [
    [3, 15, 3.75, 6, 0.3],
    [6, 22.5, 7.5, 12, 0.6],
  ],
  'claude-sonnet-4-6': [[3, 15, 3.75, 6, 0.3]],
  'claude-haiku-4-5-20251001': [[1, 5, 1.25, 2, 0.1]],
};
/** Before this time, long prompts cost more with claude-sonnet-4-6. */
const SONNET_46_CHANGE_MS = Date.UTC(2026, 2, 13);
const SONNET_46_LONG = [6, 22.5, 7.5, 12, 0.6];

export function reckonSlowly(folder: string, timeZone: string): SlowReckoning {
  const messages = listFiles(folder).flatMap(messagesOf);
  const byKey = groupBy(messages, ({ key }) => key);
  const result = {
    total: emptySum(),
    days: {} as Record<string, SlowSum>,
    models: {} as Record<string, SlowSum>,
    projects: {} as Record<string, SlowSum>,
    caches: {} as Record<string, SlowCache>,
    sessions: {} as Record<string, SlowSession>,
  };
  for (const copies of byKey.values()) {
    const [owner] = [...copies].sort(compareOwners);
    if (owner === undefined) continue;
    const counts: SlowCounts = { ...owner };
    for (const copy of copies) for (const name of COUNTS) counts[name] = Math.max(counts[name], copy[name]);
    const { model, timeMs } = owner;
    const add = (sum: SlowSum): void => {
      addTo(sum, counts, model, timeMs);
    };
    add(result.total);
    add((result.days[timeMs === null ? 'unknown' : dayOf(timeMs, timeZone)] ??= emptySum()));
    add((result.models[model ?? 'unknown'] ??= emptySum()));
    add((result.projects[owner.file.project] ??= emptySum()));
    addToCache(
      (result.caches[model ?? 'unknown'] ??= { prompt: 0, read: 0, saved: 0, extra: 0 }),
      counts,
      model,
      timeMs,
    );
    for (const [key, inSession] of groupBy(copies, ({ file }) => sessionKey(file))) {
      const session = (result.sessions[key] ??= {
        own: emptySum(),
        subagents: emptySum(),
        total: emptySum(),
        shared: emptySum(),
      });
      const isOwn = inSession.some(({ file, isSidechain }) => !file.isAgent && !isSidechain);
      add(isOwn ? session.own : session.subagents);
      add(session.total);
      if (sessionKey(owner.file) !== key) add(session.shared);
    }
  }
  return result;
}

export function sessionKey({ project, session }: Pick<SlowFile, 'project' | 'session'>): string {
  return `${project} ${session}`;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function compareOwners(a: SlowMessage, b: SlowMessage): number {
  if (a.isCopy !== b.isCopy) return a.isCopy ? 1 : -1;
  if (a.file.firstMs !== b.file.firstMs) return a.file.firstMs - b.file.firstMs;
  return a.file.path < b.file.path ? -1 : 1;
}

/** Uses Intl for each message. */
function dayOf(timeMs: number, timeZone: string): string {
  return new Date(timeMs).toLocaleDateString('sv-SE', { timeZone });
}

function addTo(sum: SlowSum, counts: SlowCounts, model: string | null, timeMs: number | null): void {
  sum.messages++;
  for (const name of COUNTS) sum[name] += counts[name];
  const prices = pricesOf(model, timeMs, counts.input + counts.writes + counts.reads > 200_000);
  if (prices === null) {
    sum.unpriced += counts.input + counts.output + counts.writes + counts.reads;
    return;
  }
  const [input = NaN, output = NaN, write5m = NaN, write1h = NaN, read = NaN] = prices;
  const tokens =
    counts.input * input +
    counts.output * output +
    (counts.writes - counts.writes1h) * write5m +
    counts.writes1h * write1h +
    counts.reads * read;
  sum.usd += tokens / 1e6 + counts.searches * 0.01;
}

/** Compares each price of the cache with that of input. */
function addToCache(cache: SlowCache, counts: SlowCounts, model: string | null, timeMs: number | null): void {
  const prompt = counts.input + counts.writes + counts.reads;
  cache.prompt += prompt;
  cache.read += counts.reads;
  const prices = pricesOf(model, timeMs, prompt > 200_000);
  if (prices === null) return;
  const [input = NaN, , write5m = NaN, write1h = NaN, read = NaN] = prices;
  cache.saved += (counts.reads * input - counts.reads * read) / 1e6;
  const written = (counts.writes - counts.writes1h) * write5m + counts.writes1h * write1h;
  cache.extra += (written - counts.writes * input) / 1e6;
}

function pricesOf(model: string | null, timeMs: number | null, isLong: boolean): readonly number[] | null {
  const [base, long] = PRICES[model ?? ''] ?? [];
  if (model === 'claude-sonnet-4-6' && isLong && timeMs !== null && timeMs < SONNET_46_CHANGE_MS) return SONNET_46_LONG;
  return (isLong ? long : null) ?? base ?? null;
}

function emptySum(): SlowSum {
  return {
    messages: 0,
    input: 0,
    output: 0,
    writes: 0,
    writes1h: 0,
    reads: 0,
    searches: 0,
    fetches: 0,
    usd: 0,
    unpriced: 0,
  };
}

function listFiles(folder: string): SlowFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl') && entry.name !== 'history.jsonl')
    .map((entry): SlowFile => {
      const path = join(entry.parentPath, entry.name);
      const { birthtimeMs, mtimeMs } = statSync(path);
      const name = basename(path, '.jsonl');
      const isAgent = name.startsWith('agent-');
      const isNested = isAgent && basename(entry.parentPath) === 'subagents';
      const session = isNested
        ? basename(dirname(entry.parentPath))
        : isAgent
          ? (/"sessionId":"([^"]+)"/.exec(readFileSync(path, 'utf8'))?.[1] ?? name)
          : name;
      const project = isNested ? dirname(dirname(entry.parentPath)) : entry.parentPath;
      return { path, project, session, isAgent, firstMs: Math.floor(Math.min(birthtimeMs, mtimeMs)) };
    });
}

function messagesOf(file: SlowFile): SlowMessage[] {
  const raw = new Map<string, { message: SlowMessage; total: number; short: number; long: number }>();
  const models = new Map<string, string>();
  for (const [line, text] of readFileSync(file.path, 'utf8').split('\n').entries()) {
    for (const row of rowsOf(text)) {
      const { message } = row;
      const usage = row.type === 'assistant' ? message?.usage : undefined;
      if (!isObject(usage)) continue;
      const id = typeof message?.id === 'string' && message.id !== '' ? message.id : null;
      const uuid = typeof row.uuid === 'string' ? row.uuid : null;
      const key = id ?? uuid ?? `${file.path} ${line}`;
      const model = typeof message?.model === 'string' && message.model.length <= 100 ? message.model : null;
      if (model !== null) models.set(key, model);
      const before = raw.get(key);
      const highest = (value: unknown, known: number | undefined): number => Math.max(countOf(value), known ?? 0);
      const total = highest(usage.cache_creation_input_tokens, before?.total);
      const short = highest(usage.cache_creation?.ephemeral_5m_input_tokens, before?.short);
      const long = highest(usage.cache_creation?.ephemeral_1h_input_tokens, before?.long);
      const counted: SlowMessage = {
        key,
        file,
        timeMs: timeOf(row.timestamp),
        model: models.get(key) ?? null,
        isSidechain: row.isSidechain === true,
        isCopy: row.forkedFrom !== undefined,
        input: highest(usage.input_tokens, before?.message.input),
        output: highest(usage.output_tokens, before?.message.output),
        writes: Math.min(2 ** 32 - 1, Math.max(total, short + long)),
        writes1h: long,
        reads: highest(usage.cache_read_input_tokens, before?.message.reads),
        searches: highest(usage.server_tool_use?.web_search_requests, before?.message.searches),
        fetches: highest(usage.server_tool_use?.web_fetch_requests, before?.message.fetches),
      };
      raw.set(key, { message: counted, total, short, long });
    }
  }
  return Array.from(raw.values(), ({ message }) => message).filter(({ model }) => model !== '<synthetic>');
}

interface SlowRow {
  readonly type?: unknown;
  readonly uuid?: unknown;
  readonly timestamp?: unknown;
  readonly isSidechain?: unknown;
  readonly forkedFrom?: unknown;
  readonly message?: {
    readonly id?: unknown;
    readonly model?: unknown;
    readonly usage?: {
      readonly input_tokens?: unknown;
      readonly output_tokens?: unknown;
      readonly cache_creation_input_tokens?: unknown;
      readonly cache_read_input_tokens?: unknown;
      readonly cache_creation?: { ephemeral_5m_input_tokens?: unknown; ephemeral_1h_input_tokens?: unknown } | null;
      readonly server_tool_use?: { web_search_requests?: unknown; web_fetch_requests?: unknown } | null;
    };
  } | null;
}

/** Also handles a line with several rows, or with NULs before the row. */
function rowsOf(line: string): SlowRow[] {
  const text = line.replace(/^[\0\uFEFF\s]+/, '').trim();
  for (let cut = text.length; cut > 0; cut = text.lastIndexOf('}{', cut - 1) + 1) {
    try {
      // SAFETY: unexpected values are undefined.
      const row = JSON.parse(text.slice(0, cut)) as SlowRow | null;
      const rest = rowsOf(text.slice(cut));
      return typeof row === 'object' && row !== null ? [row, ...rest] : rest;
    } catch {
      if (text.lastIndexOf('}{', cut - 1) < 0) return [];
    }
  }
  return [];
}

function isObject<T>(value: T): value is T & object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32 ? value : 0;
}

function timeOf(value: unknown): number | null {
  const parts = /^(\d+-\d\d-\d\d)T.*(Z|[+-]\d\d:\d\d)$/.exec(typeof value === 'string' ? value : '');
  const [text = '', day = ''] = parts ?? [];
  const midnight = new Date(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === day;
  const ms = isDay ? Date.parse(text) : NaN;
  return ms >= 0 && ms < Date.UTC(10_000, 0, 1) ? ms : null;
}
