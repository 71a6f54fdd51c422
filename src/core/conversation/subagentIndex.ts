import { sessionFolderOf, subagentsFolderOf } from '../providers/claude/format/paths';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseObject, stringField } from '../util/json';

const META = '.meta.json';
const TRANSCRIPT = '.jsonl';
/** Subagents of one session that are told by the calls that started them. */
const MAX_METAS = 5_000;
const MAX_META_BYTES = 64 * 1024;
/** What an agent is named by; whatever else a transcript says is no name of a file. */
const AGENT_ID = /^[A-Za-z0-9_-]{1,100}$/;
/**
 * A folder is looked into so often after its time changed: files may come within one tick of the file system's clock, and a
 * file is there before all of it is written.
 */
const LOOKS_AFTER_CHANGE = 10;

/**
 * The transcripts of the subagents that a conversation started: `<session>/subagents/agent-<id>.jsonl`, whose
 * `meta.json` names the call; clients 2.0.x wrote `agent-<id>.jsonl` beside the session. (docs/format.md, "Subagents")
 */
export class SubagentIndex {
  readonly #folder: string;
  readonly #siblings: string;
  /** Name of an agent's files → id of its call, '' where its `meta.json` names none. */
  readonly #calls = new Map<string, string>();
  #transcripts: ReadonlySet<string> = new Set();
  #byCall: ReadonlyMap<string, string> = new Map();
  /** Null: it was not looked at yet. */
  #mtimeMs: number | null = null;
  #looksLeft = 0;
  #revision = 0;

  constructor(filePath: string) {
    const folder = dirname(filePath);
    this.#folder = subagentsFolderOf(sessionFolderOf(filePath));
    this.#siblings = folder;
  }

  /** Counts up when `find` may answer differently. */
  get revision(): number {
    return this.#revision;
  }

  /** To be called now and then. True when `find` may answer differently than before. Never throws. */
  look(): boolean {
    if (this.#readWhenChanged()) return true;
    if (this.#looksLeft === 0) return false;
    this.#looksLeft--;
    return this.#read();
  }

  /** Path of the transcript; null when it is not there. Either id may be unknown. Never throws. */
  find(toolUseId: string | null, agentId: string | null): string | null {
    const named = agentId === null ? null : this.#byAgentId(agentId);
    if (named !== null || toolUseId === null) return named;
    this.#readWhenChanged();
    return this.#byCall.get(toolUseId) ?? null;
  }

  #byAgentId(agentId: string): string | null {
    if (!AGENT_ID.test(agentId)) return null;
    const name = `agent-${agentId}${TRANSCRIPT}`;
    return [join(this.#folder, name), join(this.#siblings, name)].find(isThere) ?? null;
  }

  #readWhenChanged(): boolean {
    const mtimeMs = mtimeOf(this.#folder);
    if (mtimeMs === this.#mtimeMs) return false;
    this.#looksLeft = mtimeMs === 0 ? 0 : LOOKS_AFTER_CHANGE;
    const hasChanged = this.#read();
    this.#mtimeMs = mtimeMs;
    return hasChanged;
  }

  #read(): boolean {
    const isFirst = this.#mtimeMs === null;
    const names = namesIn(this.#folder);
    const agents = names.filter((name) => name.endsWith(META)).map((name) => name.slice(0, -META.length));
    const transcripts = new Set(names.filter((name) => name.endsWith(TRANSCRIPT)));
    const byCall = new Map<string, string>();
    for (const agent of agents.slice(0, MAX_METAS)) {
      const call = this.#calls.get(agent) ?? readCall(join(this.#folder, agent + META));
      if (call === null) continue;
      this.#calls.set(agent, call);
      const name = agent + TRANSCRIPT;
      if (call !== '' && transcripts.has(name)) byCall.set(call, join(this.#folder, name));
    }
    const isSame =
      hasSameKeys(transcripts, this.#transcripts) &&
      byCall.size === this.#byCall.size &&
      [...byCall].every(([call, path]) => this.#byCall.get(call) === path);
    if (isSame) return false;
    this.#transcripts = transcripts;
    this.#byCall = byCall;
    if (!isFirst) this.#revision++;
    return !isFirst;
  }
}

/** Milliseconds; 0 when it is not there, or may not be looked at. */
function mtimeOf(folder: string): number {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}

/** In an order that is always the same. Empty for a folder that is not there, or may not be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Id of the call, '' when none is named; null when the file holds no JSON (yet). */
function readCall(path: string): string | null {
  try {
    if (statSync(path).size > MAX_META_BYTES) return '';
    const meta = parseObject(readFileSync(path, 'utf8'));
    return meta === null ? null : (stringField(meta, 'toolUseId') ?? '');
  } catch {
    return null;
  }
}

function hasSameKeys(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((key) => other.has(key));
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
