import { findClient, testedVersion } from './findClient';
import { openResumeBench, type ResumeBench, type ResumeCheck } from './resumeCheck';
import { skipWhenUnavailable } from './skipWhenUnavailable';
import type { WorkingCopy } from './workingCopies';

/** Writes the copy for a check into the folder. */
export type CopyWriter = (folder: string) => Promise<WorkingCopy>;

export interface Checked {
  readonly copy: WorkingCopy;
  readonly check: ResumeCheck;
}

/**
 * For a suite whose tests each request one check, in the order of the writers: while a test waits for one check, the
 * next is already running. `version` is that of the client. Call it in `describe`. If the client cannot be downloaded, the suite reports that and is
 * skipped.
 */
export function useResumeChecks(
  writers: readonly CopyWriter[],
  version = testedVersion(),
): (at: number) => Promise<Checked> {
  const started = new Map<number, Promise<Checked>>();
  let bench: ResumeBench | null = null;

  before(async function () {
    this.timeout(0);
    bench = await openResumeBench(await skipWhenUnavailable(this, () => findClient(version)), version);
  });

  after(async () => {
    await Promise.allSettled(started.values());
    await bench?.close();
  });

  const start = (at: number): Promise<Checked> | undefined => {
    const write = writers[at];
    if (write === undefined || bench === null) return undefined;
    const running = started.get(at) ?? checkCopy(bench, write);
    started.set(at, running);
    return running;
  };

  return async (at) => {
    const asked = start(at);
    // A failure of the check ahead belongs to the test that requests it.
    start(at + 1)?.catch(() => undefined);
    if (asked === undefined) throw new RangeError(`No check ${at}`);
    return await asked;
  };
}

async function checkCopy(bench: ResumeBench, write: CopyWriter): Promise<Checked> {
  const copy = await write(bench.folder);
  return { copy, check: await bench.check(copy.filePath) };
}
