import type { LiveSession } from '../liveSession';
import { type LiveShapes, shape } from './shape';

/** Lets a script answer an event. The script is one line of the shell. */
async function hook(live: LiveSession, event: string, script: string, more: object = {}): Promise<void> {
  const path = await live.write(`hooks/${event}.sh`, `#!/bin/sh\n${script}\n`);
  const hooks = { [event]: [{ ...more, hooks: [{ type: 'command', command: path }] }] };
  await live.settings({ hooks });
}

const says = (output: object): string => `cat > /dev/null; echo '${JSON.stringify(output)}'`;

/** Prints the first output once, and nothing after that. */
const once = (output: object): string => `cat > /dev/null; [ -e said ] || echo '${JSON.stringify(output)}'; touch said`;

/** Two turns, the first of which has a call. */
async function twoTurns(live: LiveSession): Promise<void> {
  const { model } = live;
  const client = live.start();
  model.script([model.say(), model.bash()]);
  await client.prompt();
  await client.prompt();
  await client.close();
}

const withContext = (live: LiveSession, event: string): object => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: live.numbered('context') },
});

/** The hooks of a project. */
export const HOOK_SHAPES: LiveShapes = {
  'a Stop hook that lets Claude go on once': shape(['"hook_blocking_error"'], async (live) => {
    await hook(live, 'Stop', once({ decision: 'block', reason: live.numbered('Go on') }));
    await twoTurns(live);
  }),
  'a Stop hook that only says something': shape(['"hook_system_message"'], async (live) => {
    await hook(live, 'Stop', says({ systemMessage: live.numbered('All right') }));
    await twoTurns(live);
  }),
  'a Stop hook that fails': shape(['"hook_non_blocking_error"'], async (live) => {
    await hook(live, 'Stop', `echo '${live.numbered('failed')}' >&2; exit 1`);
    await twoTurns(live);
  }),
  'a Stop hook that blocks by its exit code': shape(['Stop hook feedback'], async (live) => {
    await hook(live, 'Stop', `[ -e said ] && exit 0; touch said; echo '${live.numbered('Go on')}' >&2; exit 2`);
    await twoTurns(live);
  }),
  'a hook that forbids a call': shape(['Forbidden'], async (live) => {
    await hook(live, 'PreToolUse', `echo '${live.numbered('Forbidden')}' >&2; exit 2`, { matcher: 'Bash' });
    await twoTurns(live);
  }),
  'a hook that changes a call': shape(['] changed'], async (live) => {
    const output = { permissionDecision: 'allow', updatedInput: { command: `echo '${live.numbered('changed')}'` } };
    const hookSpecificOutput = { hookEventName: 'PreToolUse', ...output };
    await hook(live, 'PreToolUse', says({ hookSpecificOutput }), { matcher: 'Bash' });
    await twoTurns(live);
  }),
  'a hook that adds context to a call': shape(['"hook_additional_context"'], async (live) => {
    await hook(live, 'PostToolUse', says(withContext(live, 'PostToolUse')), { matcher: 'Bash' });
    await twoTurns(live);
  }),
  'a hook that blocks after a call': shape(['"hook_blocking_error"'], async (live) => {
    await hook(live, 'PostToolUse', says({ decision: 'block', reason: live.numbered('Wrong') }), { matcher: 'Bash' });
    await twoTurns(live);
  }),
  'a hook that ends the turn after a call': shape(['"hook_stopped_continuation"'], async (live) => {
    await hook(live, 'PostToolUse', once({ continue: false, stopReason: live.numbered('Enough') }), {
      matcher: 'Bash',
    });
    await twoTurns(live);
  }),
  'a hook that adds context to prompts': shape(['"hook_additional_context"'], async (live) => {
    await hook(live, 'UserPromptSubmit', says(withContext(live, 'UserPromptSubmit')));
    await twoTurns(live);
  }),
  'a hook that refuses a prompt': shape(['"informational"'], async (live) => {
    await hook(live, 'UserPromptSubmit', once({ decision: 'block', reason: live.numbered('No') }));
    await twoTurns(live);
  }),
  'a hook that adds context to a session': shape(['"hook_additional_context"'], async (live) => {
    await hook(live, 'SessionStart', says(withContext(live, 'SessionStart')));
    await twoTurns(live);
  }),
};
