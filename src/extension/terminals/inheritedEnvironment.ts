import type { Services } from '../services';

/** Under which it is stored that nobody wants to hear of it again. */
const DISMISSED = 'inheritedEnvironmentDismissed';
/** With the first, a client in a terminal writes no transcript. The second comes with it. */
const MARKS = ['CLAUDE_CODE_CHILD_SESSION', 'CLAUDECODE'];

export interface InheritedEnvironmentDeps extends Pick<Services, 'dialogs' | 't'> {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly globalState: {
    get(key: string): unknown;
    update(key: string, value: unknown): PromiseLike<void>;
  };
}

/** Says that terminals which the person opens inherit what makes a client save nothing, if that is so. */
export async function warnOfInheritedEnvironment(deps: InheritedEnvironmentDeps): Promise<void> {
  const { environment, globalState, dialogs, t } = deps;
  const mark = MARKS.find((name) => (environment[name] ?? '') !== '');
  if (mark === undefined || globalState.get(DISMISSED) === true) return;
  const never = t('Don’t Show Again');
  const answer = await dialogs.notify(
    'warning',
    t(
      'This window was opened by a running Claude Code, so its terminals inherit {0}. A claude that you start in one by hand may save nothing. Sessions that Rethread starts are saved. Open the window in another way, or unset the variable first.',
      mark,
    ),
    never,
  );
  if (answer === never) await globalState.update(DISMISSED, true);
}
