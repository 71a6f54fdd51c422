import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import fastGlob from 'fast-glob';
import type { SubagentLink } from '../../../../protocol/message';
import { dissectLine } from '../../../transcript/dissectLine';
import { type JsonObject, objectField, parseObject, stringField } from '../../../util/json';
import { openRegularHandle, readSmallFile } from '../../../util/openForeignFile';
import {
  agentIdOf,
  isSubagentName,
  isSubagentsFolder,
  isTranscriptName,
  metaPathOf,
  SUBAGENT_GLOB,
  SUBAGENT_META_SUFFIX,
  SUBAGENTS_GLOB,
  sessionFolderOf,
  sessionIdOf,
  subagentsFolderOf,
  subagentTranscriptName,
  transcriptNameOf,
} from '../format/paths';

const MAX_META_BYTES = 64 * 1024;
const META = SUBAGENT_META_SUFFIX;
/** Number of bytes read from the beginning of a transcript to get the session id of its first row. */
const HEAD_BYTES = 64 * 1024;

/**
 * The description of the call that started a subagent, from the `meta.json` beside its transcript. Null for any other
 * transcript, and if there is no description. Never throws. (docs/format.md, "Subagents")
 */
export function subagentDescription(filePath: string): string | null {
  if (!isSubagentName(filePath)) return null;
  const description = stringField(readMetaOf(filePath), 'description');
  return description === null || description.trim() === '' ? null : description;
}

/** Whether the `meta.json` beside a subagent's transcript marks it as finished. Never throws. */
export function isSubagentFinished(filePath: string): boolean {
  return readMetaOf(filePath)['finished'] === true;
}

/** Empty if the file is missing or cannot be read. */
function readMetaOf(filePath: string): JsonObject {
  const path = metaPathOf(filePath);
  try {
    return parseObject(readSmallFile(path, MAX_META_BYTES).bytes.toString('utf8')) ?? {};
  } catch {
    return {};
  }
}

/** Maximum number of `meta.json` files that are read for one session. */
const MAX_METAS = 5_000;
/** The form of an agent id. Any other id from a transcript must not become a file name. */
const AGENT_ID = /^[A-Za-z0-9_-]{1,100}$/;
/**
 * Number of further reads of a folder after its time changed: files may be added within one tick of the file system's
 * clock, and a file appears before it is completely written.
 */
const LOOKS_AFTER_CHANGE = 10;

/**
 * The transcripts of the subagents that a conversation started: `<session>/subagents/agent-<id>.jsonl`, whose
 * `meta.json` contains the id of the call; clients 2.0.x wrote `agent-<id>.jsonl` beside the session. (docs/format.md,
 * "Subagents")
 */
export class SubagentIndex {
  readonly #folder: string;
  readonly #siblings: string;
  /** Name of an agent's files → id of its call, or '' if its `meta.json` contains none. */
  readonly #calls = new Map<string, string>();
  #transcripts: ReadonlySet<string> = new Set();
  #byCall: ReadonlyMap<string, string> = new Map();
  /** Null before the first read. */
  #mtimeMs: number | null = null;
  #looksLeft = 0;
  #revision = 0;

  constructor(filePath: string) {
    const folder = dirname(filePath);
    this.#folder = subagentsFolderOf(sessionFolderOf(filePath));
    this.#siblings = folder;
  }

  /** Increases when results of `find` may change. */
  get revision(): number {
    return this.#revision;
  }

  /** Must be called periodically. Returns true if results of `find` may have changed. Never throws. */
  refresh(): boolean {
    if (this.#readWhenChanged()) return true;
    if (this.#looksLeft === 0) return false;
    this.#looksLeft--;
    return this.#read();
  }

  /** The path of the transcript; null if it does not exist. Either id may be unknown. Never throws. */
  find(toolUseId: string | null, agentId: string | null): string | null {
    const named = agentId === null ? null : this.#byAgentId(agentId);
    if (named !== null || toolUseId === null) return named;
    this.#readWhenChanged();
    return this.#byCall.get(toolUseId) ?? null;
  }

  #byAgentId(agentId: string): string | null {
    if (!AGENT_ID.test(agentId)) return null;
    const name = subagentTranscriptName(agentId);
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
    const transcripts = new Set(names.filter((name) => isTranscriptName(name)));
    const byCall = new Map<string, string>();
    for (const agent of agents.slice(0, MAX_METAS)) {
      const call = this.#calls.get(agent) ?? readCall(join(this.#folder, agent + META));
      if (call === null) continue;
      this.#calls.set(agent, call);
      const name = transcriptNameOf(agent);
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

/** In milliseconds; 0 if the folder is missing or inaccessible. */
function mtimeOf(folder: string): number {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}

/** Sorted, so that the order is always the same. Empty if the folder is missing or cannot be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** The id of the call, or '' if there is none; null if the file is not valid JSON (yet) or cannot be read. */
function readCall(path: string): string | null {
  try {
    if (statSync(path).size > MAX_META_BYTES) return '';
    const meta = parseObject(readSmallFile(path, MAX_META_BYTES).bytes.toString('utf8'));
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

/**
 * The subagents of a session: those in its folder, and, for clients 2.0.x, which wrote them beside the sessions, those
 * whose first row has its id. Never rejects.
 */
export async function findSessionSubagents(filePath: string): Promise<readonly SubagentLink[]> {
  const sessionId = sessionIdOf(filePath);
  const found: SubagentLink[] = [];
  try {
    for await (const agent of findSubagents(dirname(filePath))) {
      if (agent.sessionId === null ? await namesSession(agent.filePath, sessionId) : agent.sessionId === sessionId) {
        found.push(describe(agent));
      }
    }
  } catch {
    // If a folder cannot be read, none of its subagents can be displayed.
  }
  return found.sort((a, b) => (a.filePath < b.filePath ? -1 : 1));
}

function describe({ filePath, agentId }: FoundSubagent): SubagentLink {
  const meta = readMetaOf(filePath);
  return {
    filePath,
    agentId,
    agentType: stringField(meta, 'agentType'),
    description: stringField(meta, 'description'),
    toolUseId: stringField(meta, 'toolUseId'),
  };
}

/** Whether the first row has this session id. */
async function namesSession(path: string, sessionId: string): Promise<boolean> {
  try {
    const { file } = await openRegularHandle(path);
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      const { bytesRead } = await file.read(bytes, 0, HEAD_BYTES, 0);
      const end = bytes.subarray(0, bytesRead).indexOf('\n');
      const line = bytes.subarray(0, end < 0 ? bytesRead : end);
      const [row] = dissectLine(line, true).objects;
      // If the first row is longer than what was read, its session id is still found, because ids come before texts.
      const named =
        row === undefined ? /"sessionId":"([^"]{1,100})"/.exec(line.toString('utf8'))?.[1] : idOf(row.object);
      return named === sessionId;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

function idOf(row: JsonObject): string | null {
  return stringField(row, 'sessionId') ?? stringField(objectField(row, 'message') ?? {}, 'sessionId');
}

/** The transcript of a subagent, which is not a session: no client resumes it. */
interface FoundSubagent {
  readonly filePath: string;
  readonly agentId: string;
  /** The session that started it; null for clients 2.0.x, where only the rows contain its id. */
  readonly sessionId: string | null;
}

/** Clients 2.0.x wrote subagents beside the sessions, later clients into a folder of the session. */
const PATTERNS = [SUBAGENT_GLOB, `*/${SUBAGENTS_GLOB}`];

/**
 * The subagents of a project's sessions, in the order they are found. Used for a project that is displayed, not for
 * listing everything, because it reads a folder per session. Ends early if a folder cannot be read.
 */
export async function* findSubagents(projectFolder: string): AsyncGenerator<FoundSubagent> {
  const stream = fastGlob.stream(PATTERNS, {
    cwd: projectFolder,
    absolute: true,
    deep: 3,
    dot: true,
    followSymbolicLinks: false,
    caseSensitiveMatch: true,
    suppressErrors: true,
  });
  for await (const entry of stream) {
    const filePath = resolve(String(entry));
    const folder = dirname(filePath);
    const isInSession = isSubagentsFolder(folder) && folder !== resolve(projectFolder);
    yield {
      filePath,
      agentId: agentIdOf(filePath),
      sessionId: isInSession ? basename(dirname(folder)) : null,
    };
  }
}
