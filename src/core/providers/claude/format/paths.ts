import { basename, dirname, join, sep } from 'node:path';
import { isSessionId, type SessionRef } from '../../../../protocol/session';

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

/** The suffix of every transcript's name. */
export const TRANSCRIPT_SUFFIX = '.jsonl';

const PROJECTS_FOLDER = 'projects';
export const SUBAGENTS_FOLDER = 'subagents';
const SUBAGENT_PREFIX = 'agent-';
const PERSISTED_OUTPUTS_FOLDER = 'tool-results';
const MEMORY_FOLDER = 'memory';
const FILE_HISTORY_FOLDER = 'file-history';

/** The suffix of the file that identifies the call that started a subagent. */
export const SUBAGENT_META_SUFFIX = '.meta.json';
/** The transcripts of subagents: beside those of sessions (clients 2.0.x), and in a session's folder. */
export const SUBAGENT_GLOB = `${SUBAGENT_PREFIX}*${TRANSCRIPT_SUFFIX}`;
export const SUBAGENTS_GLOB = `${SUBAGENTS_FOLDER}/${SUBAGENT_GLOB}`;
/** Contains the prompts of all sessions, although it has the suffix of a transcript. */
export const PROMPT_HISTORY_NAME = 'history.jsonl';
/** Written by the client beside the subagents of a large session, also with the suffix of a transcript. */
export const RESUME_HEAD_NAME = 'resume-head.jsonl';

/** The session id in the path of a transcript. */
export function sessionIdOf(filePath: string): string {
  const name = nameOf(filePath);
  return name.endsWith(TRANSCRIPT_SUFFIX) ? name.slice(0, -TRANSCRIPT_SUFFIX.length) : name;
}

/** Like `basename`, which loops over the characters, for a path that does not end with a separator. Each scanned file needs it. */
function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), sep === '/' ? -1 : path.lastIndexOf(sep)) + 1);
}

const TRANSCRIPT_NAME_LENGTH = 36 + TRANSCRIPT_SUFFIX.length;

/** Whether the file is named by a session id. The client finds no other session. Also accepts a path. */
export function isSessionName(name: string): boolean {
  if (!name.endsWith(TRANSCRIPT_SUFFIX)) return false;
  const base = nameOf(name);
  return base.length === TRANSCRIPT_NAME_LENGTH && isSessionId(base.slice(0, -TRANSCRIPT_SUFFIX.length));
}

/** The session of a transcript, from its absolute path. */
export function sessionRefOf(filePath: string): SessionRef {
  return { provider: 'claude', id: sessionIdOf(filePath), path: filePath };
}

/** The name of a session's transcript. */
export function transcriptNameOf(sessionId: string): string {
  return `${sessionId}${TRANSCRIPT_SUFFIX}`;
}

/** The file beside a session's transcript in which the desktop app says that it does not need the session any more. */
export function releaseMarkOf(filePath: string): string {
  return join(dirname(filePath), `${sessionIdOf(filePath)}.desktop-released.json`);
}

/** Also accepts a path. */
export function isTranscriptName(name: string): boolean {
  return name.endsWith(TRANSCRIPT_SUFFIX);
}

/** The folder that contains a folder for each project. */
export function projectsFolderOf(configDir: string): string {
  return join(configDir, PROJECTS_FOLDER);
}

/** Whether a transcript is one of a config folder. Both are absolute paths. */
export function isInConfigDir(filePath: string, configDir: string): boolean {
  return filePath.startsWith(projectsFolderOf(configDir) + sep);
}

/** The config folder that contains a transcript, and the first one if none does. All paths are absolute. */
export function configDirFor(filePath: string, configDirs: readonly [string, ...string[]]): string {
  return configDirs.find((each) => isInConfigDir(filePath, each)) ?? configDirs[0];
}

/** Where a client that works in a folder begins the transcript of a session. `cwd`: null if unknown. */
export function expectedTranscriptOf(configDir: string, cwd: string | null, sessionId: string): string {
  return join(projectsFolderOf(configDir), encodeProjectPath(cwd ?? ''), transcriptNameOf(sessionId));
}

/** The config folder of a transcript, `<configDir>/projects/<project>/<session>.jsonl`; null if it is elsewhere. */
export function configDirOf(filePath: string): string | null {
  return configDirOfProject(dirname(filePath));
}

/** The config folder of a project's folder; null if it is elsewhere. */
export function configDirOfProject(projectFolder: string): string | null {
  const projects = dirname(projectFolder);
  return basename(projects) === PROJECTS_FOLDER ? dirname(projects) : null;
}

/** The folder beside a session's transcript; for a subagent's transcript, that of the session that started it. */
export function sessionFolderOf(filePath: string): string {
  const folder = dirname(filePath);
  return isSubagentsFolder(folder) ? dirname(folder) : join(folder, sessionIdOf(filePath));
}

/** The folder in which the client stores the transcripts of a session's subagents. */
export function subagentsFolderOf(sessionFolder: string): string {
  return join(sessionFolder, SUBAGENTS_FOLDER);
}

/** Expects the path of a folder. */
export function isSubagentsFolder(folder: string): boolean {
  return basename(folder) === SUBAGENTS_FOLDER;
}

/** Also accepts a path. */
export function isSubagentName(name: string): boolean {
  return basename(name).startsWith(SUBAGENT_PREFIX);
}

/** The name of a subagent's transcript. */
export function subagentTranscriptName(agentId: string): string {
  return `${SUBAGENT_PREFIX}${transcriptNameOf(agentId)}`;
}

/** The agent id in the path of a subagent's transcript. */
export function agentIdOf(filePath: string): string {
  return sessionIdOf(filePath).slice(SUBAGENT_PREFIX.length);
}

/** The file beside a subagent's transcript that identifies the call that started it. */
export function metaPathOf(filePath: string): string {
  return join(dirname(filePath), `${sessionIdOf(filePath)}${SUBAGENT_META_SUFFIX}`);
}

/** The folder in which the client stores outputs that are too long for the transcript. */
export function persistedOutputsFolderOf(sessionFolder: string): string {
  return join(sessionFolder, PERSISTED_OUTPUTS_FOLDER);
}

/** The folder in which the client keeps copies of the files that a session changed. */
export function fileHistoryOf(configDir: string, sessionId: string): string {
  return join(configDir, FILE_HISTORY_FOLDER, sessionId);
}

/** The folder in which the client keeps its memory of a project. */
export function memoryFolderOf(projectFolder: string): string {
  return join(projectFolder, MEMORY_FOLDER);
}
