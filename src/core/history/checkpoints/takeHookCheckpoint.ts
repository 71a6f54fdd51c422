import { basename, isAbsolute, join, resolve } from 'node:path';
import { type HookCall, readHookCall } from '../../providers/claude/format/hooks';
import { configDirOf, transcriptNameOf } from '../../providers/claude/format/paths';
import { errorCode } from '../../storage/refusal';
import { appendToLog } from '../../storage/store/appendToLog';
import { clearUnfinished } from '../../storage/store/clearUnfinished';
import type { WriteFs } from '../../storage/writeFs';
import { CheckpointStore, StoreError } from './checkpointStore';
import { sessionPaths, storeLayout } from './storeLayout';
import { readLines } from './transcriptLines';
import { type CallQuery, TurnFinder } from './turnFinder';

export interface HookDeps {
  readonly fs: WriteFs;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A string that no other process draws, fit for a file name. */
  readonly random: () => string;
  /** Absolute path of Claude Code's config folder, for a transcript that does not tell it. */
  readonly configDir: string;
  /** Absolute path of the person's home folder. */
  readonly home: string;
}

/** `ignored`: no call that changes a file. `failed`: what there was to say of it is in the log of problems. */
export type HookOutcome = 'kept' | 'ignored' | 'failed';

/** What a killed hook left behind is nobody's after so long. */
const UNFINISHED_MS = 600_000;

/**
 * Keeps the state of the file that a tool call of Claude Code is about to change. Never rejects.
 *
 * @param input what Claude Code gives its hook
 */
export async function takeHookCheckpoint(input: string, deps: HookDeps): Promise<HookOutcome> {
  const call = readHookCall(input);
  if (call === null) return 'ignored';
  const configDir = configDirOfCall(call) ?? deps.configDir;
  const problems: Problem[] = [];
  let outcome: HookOutcome = 'kept';
  const path = absolutePath(call, deps.home);
  try {
    // No file can be there, and no row is to name one.
    if (path.includes('\0')) throw new StoreError('failed', 'A path holds a NUL');
    await keep(call, path, configDir, deps, problems);
  } catch (error) {
    outcome = 'failed';
    problems.push({ code: codeOf(error), path: call.filePath });
  }
  const log = storeLayout(configDir).problems;
  for (const problem of problems) {
    // Codes and paths, nothing of what is in a file.
    const row = { timeMs: deps.now(), ...problem, sessionId: call.sessionId };
    await appendToLog(log, 'problems', row, deps).catch(() => undefined);
  }
  return outcome;
}

async function keep(
  call: HookCall,
  changed: string,
  configDir: string,
  deps: HookDeps,
  problems: Problem[],
): Promise<void> {
  const { fs, now } = deps;
  const onProblem = (code: string, path: string): void => void problems.push({ code, path });
  const store = new CheckpointStore({ ...deps, configDir: () => configDir, onProblem });
  const timeMs = now();
  const session = await store.open(call.sessionId, call.cwd === '' ? '/' : call.cwd);
  const transcriptPath = isAbsolute(call.transcriptPath) ? call.transcriptPath : null;
  const promptUuid =
    transcriptPath === null
      ? null
      : await findPrompt(transcriptPath, { ...call, timeMs }, fs).catch((error: unknown) => {
          onProblem(codeOf(error), transcriptPath);
          return null;
        });
  const { toolName, toolUseId, promptId, agentId } = call;
  await session.checkpoint({ promptUuid, promptId, toolUseId, toolName, agentId, transcriptPath }, [changed]);
  const { content } = sessionPaths(storeLayout(configDir), call.sessionId);
  await clearUnfinished(content.own, now() - UNFINISHED_MS, fs);
}

/** The config folder that a transcript lies in: `<configDir>/projects/<project>/<session>.jsonl`. */
function configDirOfCall({ transcriptPath, sessionId }: HookCall): string | null {
  if (!isAbsolute(transcriptPath) || basename(transcriptPath) !== transcriptNameOf(sessionId)) return null;
  return configDirOf(transcriptPath);
}

/** Clients hand on what the model wrote, made absolute as a rule. */
function absolutePath({ filePath, cwd }: HookCall, home: string): string {
  if (filePath === '~' || /^~[/\\]/u.test(filePath)) return join(home, filePath.slice(1));
  return resolve(cwd, filePath);
}

interface Problem {
  readonly code: string;
  readonly path: string;
}

function codeOf(error: unknown): string {
  if (error instanceof StoreError) return errorCode(error.cause) ?? error.code;
  return errorCode(error) ?? 'unknown';
}

/** How much of a transcript's end is read, in bytes: first little, then more, then it is left to whoever reads the checkpoint. */
const TAILS_BYTES = [256 * 1024, 4 * 1024 * 1024];

/**
 * The prompt whose turn a call is of, while the call is being made: from the end of the transcript. Null when that does not
 * tell for certain: the turn may have begun further up, or the client has not written its rows yet. Rejects with Node's
 * error when there is no transcript, or it cannot be read.
 */
async function findPrompt(
  transcriptPath: string,
  call: CallQuery,
  fs: Pick<WriteFs, 'lstat' | 'open'>,
): Promise<string | null> {
  for (const tailBytes of TAILS_BYTES) {
    const finder = new TurnFinder();
    const isAll = await readLines(transcriptPath, tailBytes, finder.addLine, fs);
    const prompt = finder.findForCertain(call);
    if (prompt !== null || isAll) return prompt;
  }
  return null;
}
