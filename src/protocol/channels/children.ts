import { call, type Calls, defineChannel } from '../channel';
import type { SubagentLink } from '../message';
import type { SessionRef } from '../session';

const MINUTE_MS = 60_000;

/** What the tree shows below a session and a project. It is read when the item above it is opened. */
export const childrenChannel = defineChannel(
  'children',
  {
    /** Those of the transcripts whose sessions have started subagents, as far as the names of their folders tell. */
    withSubagents: call<(filePaths: readonly string[]) => readonly string[]>({ timeoutMs: MINUTE_MS }),
    /** The subagents that a session started. */
    subagents: call<(session: SessionRef) => readonly ListedSubagent[]>({ timeoutMs: MINUTE_MS }),
    /** The files in which Claude Code keeps its memory of a project. `projectFolder`: its absolute path below `projects/`. */
    memoryFiles: call<(projectFolder: string) => readonly ListedMemoryFile[]>({ timeoutMs: MINUTE_MS }),
  },
  {},
);

export type ChildrenCalls = Calls<typeof childrenChannel>;

export interface ListedSubagent extends Omit<SubagentLink, 'toolUseId'> {
  /** Claude Code has noted that it is done. Older clients note nothing. */
  readonly isFinished: boolean;
}

export interface ListedMemoryFile {
  /** Absolute path. */
  readonly filePath: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}
