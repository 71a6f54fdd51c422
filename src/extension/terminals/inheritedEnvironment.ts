import type { Services } from '../services';

/** Under which it is stored that nobody wants to hear of it again. */
const DISMISSED = 'inheritedEnvironmentDismissed';
/** Under which it is stored for which start of the editor it was said. */
const SAID = 'inheritedEnvironmentSaid';
/** With the first, a client in a terminal writes no transcript. The second comes with it. */
const MARKS = ['CLAUDE_CODE_CHILD_SESSION', 'CLAUDECODE'];

export interface InheritedEnvironmentDeps extends Pick<Services, 'dialogs' | 't'> {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Id of the process that started the extension host and gave it its environment. It stays when the window is reloaded. */
  readonly parentPid: number;
  readonly globalState: {
    get(key: string): unknown;
    update(key: string, value: unknown): PromiseLike<void>;
  };
}

/** Says, once for each start of the editor, that terminals which the person opens inherit what makes a client save nothing, if that is so. */
export async function warnOfInheritedEnvironment(deps: InheritedEnvironmentDeps): Promise<void> {
  const { environment, parentPid, globalState, dialogs, t } = deps;
  const mark = MARKS.find((name) => (environment[name] ?? '') !== '');
  if (mark === undefined || globalState.get(DISMISSED) === true) return;
  if (globalState.get(SAID) === parentPid) return;
  await globalState.update(SAID, parentPid);
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
