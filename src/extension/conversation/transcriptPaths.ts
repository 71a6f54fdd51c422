import { basename, dirname, isAbsolute, join, normalize, sep } from 'node:path';

const MAX_PATH_LENGTH = 4096;
const SUBAGENT_NAME = /^agent-[\w-]+\.jsonl$/;

/** Whether a path is absolute, normalised, and has the suffix of a transcript. */
export function isTranscriptPath(path: string): boolean {
  return isPlainPath(path) && path.endsWith('.jsonl');
}

function isPlainPath(path: string): boolean {
  return path.length <= MAX_PATH_LENGTH && !path.includes('\0') && isAbsolute(path) && normalize(path) === path;
}

/** Whether a path is that of a session's or a subagent's transcript below the config folder. The file need not exist. */
export function isTranscriptOf(configDir: string, path: string): boolean {
  return isTranscriptPath(path) && path.startsWith(join(configDir, 'projects') + sep);
}

/** Whether a panel may name a transcript: the one that it shows, and those of the session's subagents. */
export function isTranscriptOfPanel(panelPath: string, path: string): boolean {
  if (path === panelPath) return true;
  if (!isTranscriptPath(path)) return false;
  // Clients before 2.1 kept the transcripts of subagents beside that of the session.
  if (dirname(path) === dirname(panelPath) && SUBAGENT_NAME.test(basename(path))) return true;
  return path.startsWith(sessionFolder(panelPath) + sep);
}

/** Whether a panel may read a persisted output. They are in the folders of sessions; a fork names the outputs of its origin. */
export function isOutputOfPanel(panelPath: string, path: string): boolean {
  if (!isPlainPath(path)) return false;
  const projectFolder = dirname(sessionFolder(panelPath));
  if (!path.startsWith(projectFolder + sep)) return false;
  return basename(dirname(path)) === 'tool-results' && dirname(dirname(dirname(path))) === projectFolder;
}

/** The folder beside a session's transcript that has its name. */
function sessionFolder(panelPath: string): string {
  const folder = dirname(panelPath);
  return basename(folder) === 'subagents' ? dirname(folder) : panelPath.slice(0, -'.jsonl'.length);
}
