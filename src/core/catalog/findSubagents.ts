import { basename, dirname, resolve } from 'node:path';
import fastGlob from 'fast-glob';

/** The transcript of a subagent. It is no session: no client resumes it. */
export interface FoundSubagent {
  readonly filePath: string;
  readonly agentId: string;
  /** The session that started it; null for clients 2.0.x, where the rows alone name it. */
  readonly sessionId: string | null;
}

/** Clients 2.0.x wrote subagents beside the sessions, later ones into a folder of the session. */
const PATTERNS = ['agent-*.jsonl', '*/subagents/agent-*.jsonl'];
const PREFIX = 'agent-';

/**
 * The subagents of a project's sessions, as they are found. Asked for a project that is shown, not while everything is
 * listed: it looks into a folder for each session. Ends early where a folder cannot be read.
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
    const isInSession = basename(folder) === 'subagents' && folder !== resolve(projectFolder);
    yield {
      filePath,
      agentId: basename(filePath, '.jsonl').slice(PREFIX.length),
      sessionId: isInSession ? basename(dirname(folder)) : null,
    };
  }
}
