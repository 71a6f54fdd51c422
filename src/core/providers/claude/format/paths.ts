import { basename, dirname, join } from 'node:path';
import type { SessionRef } from '../../../../protocol/session';

const MAX_ENCODED_LENGTH = 200;

/**
 * Name of the folder under `projects/` for a working directory: `realpath(cwd)` with every UTF-16 unit that is not an
 * ASCII letter or digit turned into `-`. Longer than 200 units: the first 200, `-`, and a base-36 hash of the path
 * itself. The rule loses information: it is never decoded. (docs/format.md, "Project folders")
 */
export function encodeProjectPath(cwd: string): string {
  const encoded = cwd.replace(/[^a-zA-Z0-9]/g, '-');
  if (encoded.length <= MAX_ENCODED_LENGTH) return encoded;
  let hash = 0;
  for (let at = 0; at < cwd.length; at++) hash = (Math.imul(hash, 31) + cwd.charCodeAt(at)) | 0;
  return `${encoded.slice(0, MAX_ENCODED_LENGTH)}-${Math.abs(hash).toString(36)}`;
}

/** Behind the name of every transcript. */
export const TRANSCRIPT_SUFFIX = '.jsonl';

const PROJECTS_FOLDER = 'projects';
export const SUBAGENTS_FOLDER = 'subagents';
const SUBAGENT_PREFIX = 'agent-';
const PERSISTED_OUTPUTS_FOLDER = 'tool-results';
const MEMORY_FOLDER = 'memory';

/** Behind the name of a subagent, in the file that says which call started it. */
export const SUBAGENT_META_SUFFIX = '.meta.json';
/** The transcripts of subagents: beside those of sessions (clients 2.0.x), and in a session's folder. */
export const SUBAGENT_GLOB = `${SUBAGENT_PREFIX}*${TRANSCRIPT_SUFFIX}`;
export const SUBAGENTS_GLOB = `${SUBAGENTS_FOLDER}/${SUBAGENT_GLOB}`;
/** Has the suffix of a transcript and holds the prompts of all sessions. */
export const PROMPT_HISTORY_NAME = 'history.jsonl';
/** Has the suffix of a transcript. The client writes it beside the subagents of a large session. */
export const RESUME_HEAD_NAME = 'resume-head.jsonl';

/** The id of the session that a transcript's path names. */
export function sessionIdOf(filePath: string): string {
  return basename(filePath, TRANSCRIPT_SUFFIX);
}

/** The session that a transcript's absolute path names. */
export function sessionRefOf(filePath: string): SessionRef {
  return { provider: 'claude', id: sessionIdOf(filePath), path: filePath };
}

/** The name of a session's transcript. */
export function transcriptNameOf(sessionId: string): string {
  return `${sessionId}${TRANSCRIPT_SUFFIX}`;
}

/** Takes a path, too. */
export function isTranscriptName(name: string): boolean {
  return name.endsWith(TRANSCRIPT_SUFFIX);
}

/** The folder with a folder for each project. */
export function projectsFolderOf(configDir: string): string {
  return join(configDir, PROJECTS_FOLDER);
}

/** The config folder that a transcript lies in: `<configDir>/projects/<project>/<session>.jsonl`; null when it lies elsewhere. */
export function configDirOf(filePath: string): string | null {
  return configDirOfProject(dirname(filePath));
}

/** The config folder that a project's folder lies in; null when it lies elsewhere. */
export function configDirOfProject(projectFolder: string): string | null {
  const projects = dirname(projectFolder);
  return basename(projects) === PROJECTS_FOLDER ? dirname(projects) : null;
}

/** The folder that a session keeps beside its transcript; that of the session that started it, for a subagent's. */
export function sessionFolderOf(filePath: string): string {
  const folder = dirname(filePath);
  return isSubagentsFolder(folder) ? dirname(folder) : join(folder, sessionIdOf(filePath));
}

/** Where a session's client puts the transcripts of its subagents. */
export function subagentsFolderOf(sessionFolder: string): string {
  return join(sessionFolder, SUBAGENTS_FOLDER);
}

/** Takes the path of a folder. */
export function isSubagentsFolder(folder: string): boolean {
  return basename(folder) === SUBAGENTS_FOLDER;
}

/** Takes a path, too. */
export function isSubagentName(name: string): boolean {
  return basename(name).startsWith(SUBAGENT_PREFIX);
}

/** The name of a subagent's transcript. */
export function subagentTranscriptName(agentId: string): string {
  return `${SUBAGENT_PREFIX}${transcriptNameOf(agentId)}`;
}

/** The id of the agent that a subagent's transcript names. */
export function agentIdOf(filePath: string): string {
  return sessionIdOf(filePath).slice(SUBAGENT_PREFIX.length);
}

/** The file beside a subagent's transcript that says which call started it. */
export function metaPathOf(filePath: string): string {
  return join(dirname(filePath), `${sessionIdOf(filePath)}${SUBAGENT_META_SUFFIX}`);
}

/** Where a session's client keeps outputs that are too long for the transcript. */
export function persistedOutputsFolderOf(sessionFolder: string): string {
  return join(sessionFolder, PERSISTED_OUTPUTS_FOLDER);
}

/** Where the client keeps what it remembers of a project. */
export function memoryFolderOf(projectFolder: string): string {
  return join(projectFolder, MEMORY_FOLDER);
}
