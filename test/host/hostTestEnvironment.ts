/** The windows in which only the activation is measured, before the one of the suite: one window alone is no measurement. */
export const EARLIER_WINDOWS = 2;

/** What the outer runner passes to the suite inside an extension host. */
export interface HostTestEnvironment {
  /** Claude Code's config folder, deleted after the run. */
  readonly configDir: string;
  readonly sessions: readonly {
    readonly title: string;
    readonly sessionId: string;
    readonly filePath: string;
    /** What Claude Code loads of a damaged session; null if it is healthy. */
    readonly damage: { readonly loads: number; readonly of: number } | null;
  }[];
  /** Sessions to scan while the extension host's event loop is monitored. */
  readonly corpus: { readonly configDir: string; readonly sessions: number; readonly bytes: number };
  /** The corpus has the size that the limits are for, and the machine is otherwise idle. */
  readonly isFull: boolean;
  /** The file for the measured figures. */
  readonly figuresFile?: string;
  /** One line of JSON per window that has measured its activation. */
  readonly activationTimesFile: string;
  /** The folder of VS Code's log files. */
  readonly logsFolder: string;
  readonly hasColor: boolean;
  /** The reporter's output file, separate from the window's console; without it, the console is used. */
  readonly outputFile?: string;
}

const VARIABLE = 'RETHREAD_HOST_TEST';

export function writeHostTestEnvironment(environment: HostTestEnvironment): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(environment) };
}

export function readHostTestEnvironment(): HostTestEnvironment {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error(`Failed to read ${VARIABLE}: the suite is started by its runner`);
  // SAFETY: written by writeHostTestEnvironment in the process that started this VS Code.
  return JSON.parse(text) as HostTestEnvironment;
}
