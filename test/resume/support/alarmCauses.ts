import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AlarmRun } from './alarmRun';
import { gate, type LiveSession } from './liveSession';
import type { TerminalClient } from './terminalClient';

/** Longer than the time after which missing rows are reported. */
const CALM_MS = 14_000;
/** Runs commands without asking. */
const BYPASSING = ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'];

interface Scene {
  readonly live: LiveSession;
  readonly configDir: string;
  readonly run: AlarmRun;
}

/** Something that a person or a fault does to a session. */
export interface Cause {
  /** The alarm that it raises; null if it is part of healthy work. */
  readonly alarm: string | null;
  /** Needs the rights to mount a file system. */
  readonly isMount?: boolean;
  readonly reach: (scene: Scene) => Promise<void>;
}

/** A prompt and its answer, which is written. */
export async function turn(live: LiveSession, terminal: TerminalClient, words = 'Go on.'): Promise<void> {
  const answer = `Answered ${words}`;
  live.model.script([live.model.say(answer)]);
  await terminal.type(words);
  await live.wrote(answer);
  await terminal.status('idle');
}

/** A prompt whose answer is not written. */
async function lostTurn({ live, run }: Scene, terminal: TerminalClient): Promise<void> {
  run.cause();
  live.model.script([live.model.say('It is lost.')]);
  await terminal.type('Is it saved?');
  await terminal.shows('It is lost.');
}

export const CAUSES: Readonly<Record<string, Cause>> = {
  'its disk is full': {
    alarm: 'full-disk',
    isMount: true,
    reach: async (scene) => {
      const terminal = await scene.live.startTerminal();
      await turn(scene.live, terminal);
      await writeFile(join(scene.configDir, 'projects', 'filler'), Buffer.alloc(8 << 20)).catch(() => undefined);
      await scene.run.sees();
      await lostTurn(scene, terminal);
    },
  },
  'its folder becomes read-only': {
    alarm: 'read-only',
    isMount: true,
    reach: async (scene) => {
      const terminal = await scene.live.startTerminal();
      await turn(scene.live, terminal);
      execFileSync('mount', ['-o', 'remount,ro', join(scene.configDir, 'projects')]);
      await scene.run.sees();
      await lostTurn(scene, terminal);
    },
  },
  'it inherits the variable of another client': {
    alarm: 'inherited',
    reach: async (scene) => {
      scene.run.cause();
      const terminal = await scene.live.startTerminal(BYPASSING, ['CLAUDE_CODE_CHILD_SESSION=1']);
      await lostTurn(scene, terminal);
    },
  },
  'its transcript is deleted while it waits': {
    alarm: 'deleted',
    reach: async ({ live, run }) => {
      await turn(live, await live.startTerminal());
      await run.sees();
      const [path = ''] = await live.transcripts();
      run.cause();
      await rm(path);
    },
  },
  'its transcript is deleted and begun anew': {
    alarm: 'deleted',
    reach: async ({ live, run }) => {
      const terminal = await live.startTerminal(BYPASSING);
      live.model.script([live.model.bash('seq 1 20000')]);
      await turn(live, terminal);
      await turn(live, terminal, 'And again.');
      await run.sees();
      const [path = ''] = await live.transcripts();
      run.cause();
      await rm(path);
      await turn(live, terminal, 'Is it saved?');
    },
  },
  'another client resumes it': {
    alarm: 'two-writers',
    reach: async ({ live, run }) => {
      await turn(live, await live.startTerminal());
      const [path = ''] = await live.transcripts();
      run.cause();
      await live.start({ args: ['--resume', basename(path, '.jsonl')] }).prompt();
    },
  },
  'it does nothing else than a person may want': {
    alarm: null,
    reach: async ({ live }) => {
      const terminal = await live.startTerminal(BYPASSING);
      await delay(2_000);
      await turn(live, terminal);
      for (const dialog of ['/status', '/model', '/help']) {
        await terminal.type(dialog);
        await delay(2_500);
        await terminal.press('Escape');
        await delay(500);
      }
      await terminal.type('/context');
      await delay(CALM_MS);
      await terminal.type('!sleep 4; echo it slept');
      await delay(6_000);
      const held = gate();
      live.model.script({ content: [live.model.say()], until: held.opened });
      await terminal.type('/btw Why?');
      await delay(CALM_MS);
      held.open();
      await delay(500);
      await terminal.press('Escape');
      await delay(500);
      live.model.script({ content: [live.model.say()], until: gate().opened });
      await terminal.type('This prompt is interrupted.');
      await delay(3_000);
      await terminal.press('Escape');
      await delay(CALM_MS);
      await terminal.press('C-u');
      await turn(live, terminal, 'After the interruption.');
      await terminal.type('/clear');
      await delay(1_500);
      await turn(live, terminal, 'A session of its own.');
      await delay(CALM_MS);
      await terminal.exit();
    },
  },
  'it summarises its history slowly': {
    alarm: null,
    reach: async ({ live }) => {
      const terminal = await live.startTerminal();
      await turn(live, terminal);
      await turn(live, terminal, 'And again.');
      const held = gate();
      const summary = { type: 'text', text: '<summary>\nWhat was said.\n</summary>' } as const;
      live.model.scriptSummary({ content: [summary], until: held.opened });
      await terminal.type('/compact');
      await delay(CALM_MS);
      held.open();
      await delay(2_000);
      live.model.scriptSummary({ content: [summary], until: gate().opened });
      await terminal.type('/compact');
      await delay(4_000);
      await terminal.press('Escape');
      await delay(CALM_MS);
    },
  },
  'its calls and answers take long': {
    alarm: null,
    reach: async ({ live }) => {
      const terminal = await live.startTerminal(BYPASSING);
      const command = live.endlessCommand();
      const { model } = live;
      model.script(
        [model.bash('seq 1 20000'), command.call],
        [model.call('Write', { file_path: join(live.cwd, 'a.txt'), content: 'x' })],
      );
      await terminal.type('Go on.');
      await command.started();
      await delay(CALM_MS);
      await command.end();
      await terminal.status('idle');
      const held = gate();
      model.script({ content: [model.say()], until: held.opened });
      await terminal.type('Think about it.');
      await delay(CALM_MS);
      held.open();
      await terminal.status('idle');
      model.script([model.call('Bash', { command: 'touch x', description: 'touch' })]);
      const background = live.endlessCommand({ run_in_background: true });
      model.script([background.call]);
      await terminal.type('Start it.');
      await background.started();
      await delay(CALM_MS);
    },
  },
  'it waits for an approval': {
    alarm: null,
    reach: async ({ live }) => {
      const terminal = await live.startTerminal();
      live.model.script([live.model.call('Write', { file_path: join(live.cwd, 'a.txt'), content: 'x' })]);
      await terminal.type('Write it.');
      await terminal.status('waiting');
      await delay(CALM_MS);
      await terminal.press('Enter');
      await terminal.status('idle');
      await delay(CALM_MS);
    },
  },
  'a subagent works for it': {
    alarm: null,
    reach: async ({ live }) => {
      const terminal = await live.startTerminal(BYPASSING);
      const { model } = live;
      const command = live.endlessCommand();
      model.scriptAgent(
        'Look into it',
        [model.bash('seq 1 20000')],
        [model.call('Write', { file_path: join(live.cwd, 'b.txt'), content: 'x' })],
        [command.call],
      );
      model.script([
        model.call('Agent', { description: 'look', prompt: 'Look into it', subagent_type: 'general-purpose' }),
      ]);
      await terminal.type('Ask an agent.');
      await command.started();
      await delay(CALM_MS);
      await command.end();
      await terminal.status('idle');
      await delay(CALM_MS);
    },
  },
  'a program drives and resumes it': {
    alarm: null,
    reach: async ({ live }) => {
      const client = live.start();
      await client.prompt();
      live.model.script({ content: [live.model.say(), live.model.say()], until: gate().opened });
      client.post();
      await client.replied();
      await delay(CALM_MS);
      await client.interrupt();
      await delay(CALM_MS);
      await client.close();
      const resumed = live.resume(client);
      await resumed.prompt();
      await delay(CALM_MS);
      await resumed.kill();
    },
  },
  'a program asked to save nothing': {
    alarm: null,
    reach: async ({ live }) => {
      const client = live.start({ args: ['--no-session-persistence'] });
      live.model.script({ content: [live.model.say(), live.model.say()], until: gate().opened });
      client.post();
      await client.replied();
      await delay(CALM_MS);
    },
  },
};
