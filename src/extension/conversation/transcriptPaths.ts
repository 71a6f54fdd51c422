import { basename, dirname, isAbsolute, join, normalize, sep } from 'node:path';

const MAX_PATH_LENGTH = 4096;
const SUBAGENT_NAME = /^agent-[\w-]+\.jsonl$/;

/** An absolute path that is written in one way only, and ends as transcripts do. */
export function isTranscriptPath(path: string): boolean {
  return isPlainPath(path) && path.endsWith('.jsonl');
}

function isPlainPath(path: string): boolean {
  return path.length <= MAX_PATH_LENGTH && !path.includes('\0') && isAbsolute(path) && normalize(path) === path;
}

/** A transcript, of a session or of a subagent, below the config folder. Says nothing of whether it exists. */
export function isTranscriptOf(configDir: string, path: string): boolean {
  return isTranscriptPath(path) && path.startsWith(join(configDir, 'projects') + sep);
}

/** What a panel may name: the transcript that it shows, and those of the session's subagents. */
export function isTranscriptOfPanel(panelPath: string, path: string): boolean {
  if (path === panelPath) return true;
  if (!isTranscriptPath(path)) return false;
  // Clients before 2.1 kept them beside the session.
  if (dirname(path) === dirname(panelPath) && SUBAGENT_NAME.test(basename(path))) return true;
  return path.startsWith(sessionFolder(panelPath) + sep);
}

/** Outputs that were too long for a transcript lie in the folders of the sessions; a fork names those of its origin. */
export function isOutputOfPanel(panelPath: string, path: string): boolean {
  if (!isPlainPath(path)) return false;
  const projectFolder = dirname(sessionFolder(panelPath));
  if (!path.startsWith(projectFolder + sep)) return false;
  return basename(dirname(path)) === 'tool-results' && dirname(dirname(dirname(path))) === projectFolder;
}

/** The folder beside a session's transcript that is named like it. */
function sessionFolder(panelPath: string): string {
  const folder = dirname(panelPath);
  return basename(folder) === 'subagents' ? dirname(folder) : panelPath.slice(0, -'.jsonl'.length);
}
