import { basename, isAbsolute, join, resolve } from 'node:path';
import { type HookCall, readHookCall } from '../../providers/claude/format/hooks';
import { configDirOf, transcriptNameOf } from '../../providers/claude/format/paths';
import { errorCode } from '../../storage/refusal';
import { appendToLog } from '../../storage/store/appendRow';
import type { WriteFs } from '../../storage/writeFs';
import { CheckpointStore, StoreError } from './checkpointStore';
import type { MaxFileSize } from './maxFileSize';
import { storeLayout } from './storeLayout';
import { readLines } from './transcriptLines';
import { type CallQuery, TurnFinder } from './turnFinder';

export interface HookDeps {
  readonly fs: WriteFs;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a string that is unique among all processes and valid in a file name. */
  readonly random: () => string;
  /** Absolute path of Claude Code's config folder; used if the transcript's path does not contain it. */
  readonly configDir: string;
  /** Absolute path of the person's home folder. */
  readonly home: string;
  /** Of larger files, no copy is kept. */
  readonly maxFileSize: MaxFileSize;
}

/** `ignored`: the call does not change a file. `failed`: the log of problems says why. */
export type HookOutcome = 'kept' | 'ignored' | 'failed';

/**
 * Keeps the state of the file that a tool call of Claude Code is about to change. Never rejects. What killed hooks have left is not
 * searched here, because Claude waits: see leftovers.ts.
 *
 * @param input the input that Claude Code passes to its hook
 */
export async function takeHookCheckpoint(input: string, deps: HookDeps): Promise<HookOutcome> {
  const call = readHookCall(input);
  if (call === null) return 'ignored';
  const configDir = configDirOfCall(call) ?? deps.configDir;
  const problems: Problem[] = [];
  if (deps.maxFileSize.isInvalid) problems.push({ code: 'INVALID_MAX_FILE_SIZE', path: call.filePath });
  let outcome: HookOutcome = 'kept';
  const path = absolutePath(call, deps.home);
  try {
    // No file can have such a path, and no row should contain it.
    if (path.includes('\0')) throw new StoreError('failed', 'The path contains a NUL');
    await keep(call, path, configDir, deps, problems);
  } catch (error) {
    outcome = 'failed';
    problems.push({ code: codeOf(error), path: call.filePath });
  }
  const log = storeLayout(configDir).problems;
  for (const problem of problems) {
    // The log holds codes and paths, never the content of a file.
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
  const store = new CheckpointStore({
    ...deps,
    configDir: () => configDir,
    maxFileBytes: deps.maxFileSize.bytes,
    onProblem,
  });
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
}

/**
 * The config folder that contains the transcript: `<configDir>/projects/<project>/<session>.jsonl`. Null for other
 * paths.
 */
function configDirOfCall({ transcriptPath, sessionId }: HookCall): string | null {
  if (!isAbsolute(transcriptPath) || basename(transcriptPath) !== transcriptNameOf(sessionId)) return null;
  return configDirOf(transcriptPath);
}

/** Clients pass the path that the model wrote, and usually make it absolute. */
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

/**
 * Bytes read from the end of the transcript, one after the other: little at first, because Claude waits. If all fail, the prompt is
 * looked up in a rewind.
 */
const TAILS_BYTES = [8 * 1024, 64 * 1024, 512 * 1024, 4 * 1024 * 1024];

/**
 * The prompt whose turn makes the call, looked up at the end of the transcript before the call runs. Null if the result
 * would be uncertain: the turn may have begun further up, or the client has not written its rows yet. Rejects with
 * Node's error if there is no transcript, or it cannot be read.
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
