import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseObject, stringField } from '../claude/json';

const META = '.meta.json';
/** Subagents of one session that are told by the calls that started them. */
const MAX_METAS = 5_000;
const MAX_META_BYTES = 64 * 1024;
/** What an agent is named by; whatever else a transcript says is no name of a file. */
const AGENT_ID = /^[A-Za-z0-9_-]{1,100}$/;

/**
 * The transcripts of the subagents that a conversation started: `<session>/subagents/agent-<id>.jsonl`, whose
 * `meta.json` names the call; clients 2.0.x wrote `agent-<id>.jsonl` beside the session. (docs/format.md, "Subagents")
 */
export class SubagentIndex {
  readonly #folder: string;
  readonly #siblings: string;
  /** `meta.json` → id of the call. */
  readonly #metas = new Map<string, string | null>();
  readonly #byCall = new Map<string, string>();
  #mtimeMs = 0;

  constructor(filePath: string) {
    const folder = dirname(filePath);
    this.#folder = join(sessionFolder(filePath), 'subagents');
    this.#siblings = folder;
  }

  /** Path of the transcript; null when it is not there. Either id may be unknown. Never throws. */
  find(toolUseId: string | null, agentId: string | null): string | null {
    const named = agentId === null ? null : this.#byAgentId(agentId);
    if (named !== null || toolUseId === null) return named;
    this.#lookForMetas();
    return this.#byCall.get(toolUseId) ?? null;
  }

  #byAgentId(agentId: string): string | null {
    if (!AGENT_ID.test(agentId)) return null;
    const name = `agent-${agentId}.jsonl`;
    return [join(this.#folder, name), join(this.#siblings, name)].find(isThere) ?? null;
  }

  #lookForMetas(): void {
    try {
      const { mtimeMs } = statSync(this.#folder);
      if (mtimeMs === this.#mtimeMs) return;
      this.#mtimeMs = mtimeMs;
      for (const name of readdirSync(this.#folder)) {
        if (name.endsWith(META) && this.#metas.size < MAX_METAS) this.#readMeta(name);
      }
    } catch {
      // No subagents, or a folder that may not be read: both mean that there is nothing to open.
    }
  }

  #readMeta(name: string): void {
    if (typeof this.#metas.get(name) === 'string') return;
    const transcript = join(this.#folder, `${name.slice(0, -META.length)}.jsonl`);
    const call = callOf(join(this.#folder, name));
    this.#metas.set(name, call);
    if (call !== null && isThere(transcript)) this.#byCall.set(call, transcript);
  }
}

/** The folder that a session keeps beside its transcript; that of the session that started it, for a subagent's. */
export function sessionFolder(filePath: string): string {
  const folder = dirname(filePath);
  return basename(folder) === 'subagents' ? dirname(folder) : join(folder, basename(filePath, '.jsonl'));
}

function callOf(path: string): string | null {
  try {
    if (statSync(path).size > MAX_META_BYTES) return null;
    const meta = parseObject(readFileSync(path, 'utf8'));
    return meta === null ? null : stringField(meta, 'toolUseId');
  } catch {
    return null;
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
