import { appendFileSync, readFileSync } from 'node:fs';
import { readHostTestEnvironment } from '../hostTestEnvironment';
import { eventually } from './eventually';
import { extension } from './rethread';

/** How long the activation took in one window, in milliseconds. */
interface ActivationTime {
  readonly loadMs: number;
  readonly activateMs: number;
  /** VS Code's own Git extension, for both. */
  readonly gitMs: number;
}

/** What VS Code calls in a window that is opened for nothing but this measurement. */
export async function run(): Promise<void> {
  await keepActivationTime();
}

/** Adds what this window measured to the figures of the windows before it. */
export async function keepActivationTime(): Promise<void> {
  await extension().activate();
  const { loadMs, activateMs } = await activationOf('rethread.rethread');
  const git = await activationOf('vscode.git');
  const time: ActivationTime = { loadMs, activateMs, gitMs: git.loadMs + git.activateMs };
  appendFileSync(readHostTestEnvironment().activationTimesFile, `${JSON.stringify(time)}\n`);
}

export function readActivationTimes(): readonly ActivationTime[] {
  const lines = readFileSync(readHostTestEnvironment().activationTimesFile, 'utf8').trim().split('\n');
  // SAFETY: written by keepActivationTime.
  return lines.map((line) => JSON.parse(line) as ActivationTime);
}

/** VS Code marks, to the millisecond, when it begins and ends to load an extension's code and to call its `activate`. */
function activationOf(extensionId: string): Promise<{ readonly loadMs: number; readonly activateMs: number }> {
  // SAFETY: the shape of VS Code 1.100 to 1.139; the test fails if there is nothing of the kind.
  const { MonacoPerformanceMarks } = globalThis as {
    MonacoPerformanceMarks?: { getMarks(): readonly { name: string; startTime: number }[] };
  };
  const between = (what: 'LoadExtensionCode' | 'ActivateExtension'): number | null => {
    const marks = MonacoPerformanceMarks?.getMarks() ?? [];
    const [will, did] = ['will', 'did'].map(
      (when) => marks.find(({ name }) => name === `code/extHost/${when}${what}/${extensionId}`)?.startTime,
    );
    return will === undefined || did === undefined ? null : Math.round(did - will);
  };
  return eventually(`${extensionId} is active`, () => {
    const [loadMs, activateMs] = [between('LoadExtensionCode'), between('ActivateExtension')];
    return loadMs === null || activateMs === null ? null : { loadMs, activateMs };
  });
}
