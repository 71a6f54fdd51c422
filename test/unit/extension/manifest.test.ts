import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import {
  COMMAND_IDS,
  CONTEXT_KEYS,
  CONVERSATION_EDITOR,
  REWIND_PAGE,
  TOKENS_PAGE,
  SEARCH_VIEW,
  SESSION_SCHEME,
  SESSIONS_VIEW,
  TASKS_VIEW,
  TOKENS_VIEW,
  TRANSCRIPT_EDITOR,
} from '../../../src/extension/config/contributions';
import {
  type ConfigDirSource,
  DEFAULT_MAX_FILE_SIZE_MB,
  DEFAULT_SCAN_CONCURRENCY,
  LARGEST_MAX_FILE_SIZE_MB,
  MAX_SCAN_CONCURRENCY,
  PRICE_FIELDS,
  SETTINGS,
} from '../../../src/extension/config/settings';
import { sessionAddress } from '../../../src/extension/conversation/conversationAddresses';
import { sessionContextValue } from '../../../src/extension/sessions/sessionAppearance';
import type { SessionsViewState } from '../../../src/extension/sessions/sessionsState';
import { activity, session } from './fakes';

const ROOT = join(__dirname, '../../..');
const menuItem = v.object({ command: v.string(), when: v.string(), group: v.optional(v.string(), '') });
const Manifest = v.object({
  icon: v.string(),
  l10n: v.string(),
  extensionKind: v.array(v.string()),
  activationEvents: v.array(v.string()),
  capabilities: v.object({
    untrustedWorkspaces: v.object({ supported: v.literal('limited'), restrictedConfigurations: v.array(v.string()) }),
  }),
  contributes: v.object({
    customEditors: v.array(
      v.object({
        viewType: v.string(),
        selector: v.tuple([v.object({ filenamePattern: v.string() })]),
        priority: v.string(),
      }),
    ),
    languages: v.array(v.object({ filenamePatterns: v.array(v.string()) })),
    commands: v.array(v.object({ command: v.string(), title: v.string(), category: v.string() })),
    views: v.record(v.string(), v.array(v.object({ id: v.string(), icon: v.string() }))),
    viewsWelcome: v.array(v.object({ view: v.string(), when: v.string(), contents: v.string() })),
    keybindings: v.array(v.object({ command: v.string(), key: v.string(), when: v.optional(v.string()) })),
    walkthroughs: v.array(
      v.object({
        steps: v.array(v.object({ id: v.string(), media: v.object({ image: v.record(v.string(), v.string()) }) })),
      }),
    ),
    menus: v.record(v.string(), v.array(menuItem)),
    configuration: v.object({
      properties: v.record(v.string(), v.looseObject({ scope: v.string(), default: v.unknown() })),
    }),
  }),
});

const text = readFileSync(join(ROOT, 'package.json'), 'utf8');
const manifest = v.parse(Manifest, JSON.parse(text));
const strings = v.parse(v.record(v.string(), v.string()), readJson('package.nls.json'));
const { contributes } = manifest;

/** Commands in the editor title bar while the clause holds. */
function offeredIn(clause: string): readonly string[] {
  return (contributes.menus['editor/title'] ?? []).filter(({ when }) => when === clause).map(({ command }) => command);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

describe('The manifest', () => {
  it('declares the commands that the code registers, and no others', () => {
    assert.deepEqual(contributes.commands.map(({ command }) => command).sort(), [...COMMAND_IDS].sort());
    for (const { category } of contributes.commands) assert.equal(category, 'Rethread');
  });

  it('uses only declared commands in menus', () => {
    const commands = new Set<string>(COMMAND_IDS);
    for (const { command } of Object.values(contributes.menus).flat()) assert.ok(commands.has(command), command);
  });

  it('binds keys to its own commands only, and takes none of an editor, a terminal or VS Code’s own search away', () => {
    const commands = new Set<string>(COMMAND_IDS);
    for (const { command, key, when } of contributes.keybindings) {
      assert.ok(commands.has(command), command);
      const isChord = key.includes(' ');
      const isOfSearch = command === 'rethread.nextSearchResult' || command === 'rethread.previousSearchResult';
      const guards = [
        'rethread.conversationFocused && !sideBarFocus && !panelFocus',
        ...(isOfSearch ? [`view.${SEARCH_VIEW}.visible && !editorFocus && !terminalFocus && !searchViewletFocus`] : []),
      ];
      assert.ok(isChord || guards.some((guard) => (when ?? '').startsWith(guard)), key);
    }
  });

  it('goes through the results of a search by F4 and Shift+F4, if there are any', () => {
    const keys = contributes.keybindings.flatMap(({ command, key, when }) =>
      command.endsWith('SearchResult') ? [[command, key, when?.endsWith(` && ${CONTEXT_KEYS.hasSearchResults}`)]] : [],
    );
    const [next, previous] = [
      ['rethread.nextSearchResult', 'f4', true],
      ['rethread.previousSearchResult', 'shift+f4', true],
    ];
    assert.deepEqual(keys, [next, next, previous, previous]);
  });

  it('offers the actions of a message in the menu of VS Code on it, and forks and rewinds only where that is possible', () => {
    const offered = (contributes.menus['webview/context'] ?? []).map(({ command, when }) => [
      command,
      /webviewSection == message( && (\w+))?$/.exec(when)?.[2] ?? '',
    ]);
    assert.deepEqual(offered, [
      ['rethread.copyMessage', ''],
      ['rethread.copyMessageAsMarkdown', ''],
      ['rethread.forkFromHere', 'rethreadCanFork'],
      ['rethread.rewindToHere', 'rethreadCanRewind'],
      ['rethread.openLine', ''],
    ]);
  });

  it('offers find, export, resume, fork and rewind in the editor of a conversation', () => {
    assert.deepEqual(offeredIn('activeCustomEditorId =~ /^rethread\\.(conversation|transcript)$/'), [
      'rethread.findInConversation',
      'rethread.export',
      'rethread.resumeInTerminal',
      'rethread.forkSession',
      'rethread.rewindFiles',
    ]);
  });

  it('is activated by what may happen before the window is idle: a restored panel, a restored page or a link', () => {
    assert.deepEqual(manifest.activationEvents, [
      'onStartupFinished',
      `onWebviewPanel:${CONVERSATION_EDITOR}`,
      `onWebviewPanel:${REWIND_PAGE}`,
      `onWebviewPanel:${TOKENS_PAGE}`,
      'onUri',
    ]);
  });

  it('shows conversations in the editor for their addresses, and transcripts if the person wants to', () => {
    assert.deepEqual(
      contributes.customEditors.map(({ viewType, selector: [{ filenamePattern }], priority }) => [
        viewType,
        filenamePattern,
        priority,
      ]),
      [
        [CONVERSATION_EDITOR, `${SESSION_SCHEME}:/**`, 'default'],
        [TRANSCRIPT_EDITOR, '*.jsonl', 'option'],
      ],
    );
    const { path } = sessionAddress('/c/projects/p/s.jsonl', 'Plan');
    assert.deepEqual(
      contributes.languages.map(({ filenamePatterns }) => filenamePatterns),
      [['/rethread-session/**']],
    );
    assert.ok(path.startsWith('/rethread-session/'));
  });

  it('declares the views that the code provides', () => {
    assert.deepEqual(
      Object.values(contributes.views).flatMap((views) => views.map(({ id }) => id)),
      [SESSIONS_VIEW, SEARCH_VIEW, TASKS_VIEW, TOKENS_VIEW],
    );
  });

  it('declares the settings that the code reads, and no others', () => {
    const { section, ...keys } = SETTINGS;
    const names = Object.values(keys).map((key) => `${section}.${key}`);
    assert.deepEqual(Object.keys(contributes.configuration.properties).sort(), names.sort());
    const concurrency = contributes.configuration.properties['rethread.scan.concurrency'];
    assert.equal(concurrency?.default, DEFAULT_SCAN_CONCURRENCY);
    assert.equal(concurrency['maximum'], MAX_SCAN_CONCURRENCY);
    const size = contributes.configuration.properties['rethread.checkpoints.maxFileSizeMB'];
    assert.deepEqual(
      [size?.default, size?.['minimum'], size?.['maximum']],
      [DEFAULT_MAX_FILE_SIZE_MB, 1, LARGEST_MAX_FILE_SIZE_MB],
    );
  });

  it('takes from no workspace what can write or start a program', () => {
    for (const key of [SETTINGS.automaticRepair, SETTINGS.clientVersion, SETTINGS.maxFileSize]) {
      assert.equal(contributes.configuration.properties[`${SETTINGS.section}.${key}`]?.scope, 'machine', key);
    }
  });

  it('takes a version or auto for the client, and nothing else', () => {
    const setting = contributes.configuration.properties[`${SETTINGS.section}.${SETTINGS.clientVersion}`];
    const pattern = new RegExp(v.parse(v.string(), setting?.['pattern']));
    for (const version of ['auto', '2.1.330']) assert.match(version, pattern);
    for (const other of ['', '2.1', 'v2.1.330', 'auto 2.1.330']) assert.doesNotMatch(other, pattern);
  });

  it('lets VS Code validate every field of a price', () => {
    const setting = contributes.configuration.properties[`${SETTINGS.section}.${SETTINGS.priceOverrides}`];
    const price = v.parse(
      v.object({
        properties: v.record(
          v.string(),
          v.object({ type: v.literal('number'), minimum: v.literal(0), description: v.string() }),
        ),
        additionalProperties: v.literal(false),
      }),
      setting?.['additionalProperties'],
    );
    assert.deepEqual(Object.keys(price.properties).sort(), [...PRICE_FIELDS].sort());
  });

  it('does not let a workspace set the config folder in Restricted Mode', () => {
    assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, [
      `${SETTINGS.section}.${SETTINGS.claudeConfigDir}`,
    ]);
  });

  it('runs where the sessions are, including remote machines', () => {
    assert.deepEqual(manifest.extensionKind, ['workspace']);
  });

  it('uses only context keys that the code sets', () => {
    const keys = new Set<string>(Object.values(CONTEXT_KEYS));
    const clauses = [...contributes.viewsWelcome, ...Object.values(contributes.menus).flat()].map(({ when }) => when);
    const names = new Set<string>([SESSIONS_VIEW, SEARCH_VIEW, TASKS_VIEW, TOKENS_VIEW, CONVERSATION_EDITOR]);
    const asked = clauses
      .flatMap((when) => [...when.matchAll(/rethread\.\w+/g)].map(([key]) => key))
      .filter((key) => !names.has(key));
    assert.deepEqual([...new Set(asked)].sort(), [...keys].sort());
  });

  it('has a welcome text for each way in which the config folder is set', () => {
    const sources: readonly ConfigDirSource[] = ['default', 'environment', 'setting'];
    for (const source of sources) {
      const texts = contributes.viewsWelcome.filter(({ when }) =>
        when.endsWith(`${CONTEXT_KEYS.configDirSource} == ${source}`),
      );
      assert.equal(texts.length, 1, source);
    }
  });

  it('asks for a session in the Tasks view only where there are sessions', () => {
    const isShown = (when: string, sessions: string): boolean => {
      const [, list] = /sessionsView =~ \/\^\((.*)\)\$\//.exec(when) ?? [];
      return list === undefined ? when.endsWith(`sessionsView == ${sessions}`) : list.split('|').includes(sessions);
    };
    const shown = (sessions: SessionsViewState): (string | undefined)[] =>
      contributes.viewsWelcome
        .filter(({ when }) => when.startsWith(`${CONTEXT_KEYS.tasksView} == noSession`) && isShown(when, sessions))
        .map(({ contents }) => strings[contents.replaceAll('%', '')]);
    const [ask, ...others] = shown('listed');
    assert.match(ask ?? '', /^Select a session, .*\[Search Conversations\]/s);
    assert.deepEqual(others, []);
    assert.match(shown('failed').join(), /^The sessions could not be read\..*\[Show Log\]/s);
    assert.equal(shown('failed').length, 1);
    for (const sessions of ['empty', 'folderMissing', 'invalidConfigDir'] as const) {
      assert.equal(shown(sessions).length, 1, sessions);
      assert.match(shown(sessions).join(), /^There are no Claude Code sessions/);
      assert.doesNotMatch(shown(sessions).join(), /Select|searchConversations/);
    }
  });

  it('has a string for each placeholder, and no others', () => {
    const used = [...text.matchAll(/"%([^%]+)%"/g)].map((match) => match[1]);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(strings).sort());
  });

  it('links only to its own commands and settings', () => {
    const links = Object.values(strings).flatMap((each) => [...each.matchAll(/\(command:([^?)]+)/g)].map((m) => m[1]));
    const known = new Set<string | undefined>([
      ...COMMAND_IDS,
      // Of VS Code, for the view.
      `${SESSIONS_VIEW}.focus`,
      'workbench.action.openSettings',
    ]);
    assert.ok(links.length > 0);
    for (const link of links) assert.ok(known.has(link), link);
  });

  it('shows a picture of today in each of the four steps of its walkthrough, and packages all of them', () => {
    const [walkthrough] = contributes.walkthroughs;
    assert.deepEqual(
      walkthrough?.steps.map(({ id }) => id),
      ['see', 'read', 'repair', 'rewind'],
    );
    const packaged = readFileSync(join(ROOT, '.vscodeignore'), 'utf8').split('\n');
    for (const { media } of walkthrough.steps) {
      for (const path of Object.values(media.image)) {
        assert.ok(existsSync(join(ROOT, path)), path);
        assert.ok(packaged.includes(`!${path}`), path);
      }
    }
  });

  it('names only existing files', () => {
    const icons = Object.values(contributes.views).flatMap((views) => views.map(({ icon }) => icon));
    for (const path of [manifest.icon, manifest.l10n, ...icons]) assert.ok(existsSync(join(ROOT, path)), path);
  });
});

describe('The menus of the tree', () => {
  /** For one session that is selected. */
  const offered = (change: Parameters<typeof session>[0], isRewound = false) => {
    const value = sessionContextValue(session(change), isRewound);
    return (contributes.menus['view/item/context'] ?? [])
      .filter(({ group, when }) => !group.startsWith('inline') && !when.startsWith('listMultiSelection'))
      .filter(({ when }) => {
        const pattern = /viewItem =~ \/(.*)\/$/.exec(when)?.[1];
        assert.ok(pattern !== undefined, when);
        return new RegExp(pattern).test(value);
      })
      .map(({ command }) => command.replace('rethread.', ''));
  };

  it('offer a repair if something can be repaired', () => {
    assert.deepEqual(offered({ health: 'corrupted', isRepairable: true }).includes('repairSession'), true);
    assert.deepEqual(offered({ health: 'healthy', isRepairable: true }).includes('repairSession'), true);
    assert.deepEqual(offered({ health: 'corrupted' }).includes('repairSession'), true);
    assert.deepEqual(offered({ health: 'healthy' }).includes('repairSession'), false);
    assert.deepEqual(offered({ health: 'unreadable' }).includes('repairSession'), false);
  });
  it('offer to undo a repair if there is a backup', () => {
    assert.equal(offered({ health: 'repaired', hasBackup: true }).includes('undoRepair'), true);
    assert.equal(
      offered({ health: 'corrupted', activity: activity('idle'), hasBackup: true }).includes('undoRepair'),
      true,
    );
    assert.equal(offered({ health: 'healthy' }).includes('undoRepair'), false);
  });
  it('offer to undo a rewind if there is one', () => {
    assert.equal(offered({ health: 'healthy' }, true).includes('undoRewind'), true);
    assert.equal(
      offered({ health: 'repaired', activity: activity('idle'), hasBackup: true }, true).includes('undoRewind'),
      true,
    );
    assert.equal(offered({ health: 'healthy' }).includes('undoRewind'), false);
  });
  it('offer the terminal of a session that runs', () => {
    assert.equal(offered({ activity: activity('idle') }).includes('showTerminal'), true);
    assert.equal(offered({}).includes('showTerminal'), false);
  });
  it('offer no action that the provider of the session lacks', () => {
    const change = { health: 'corrupted', isRepairable: true, hasBackup: true } as const;
    const commands = {
      repair: ['repairSession', 'undoRepair', 'slim'],
      fork: ['forkSession'],
      rewind: ['rewindFiles'],
    };
    for (const action of ['repair', 'fork', 'rewind'] as const) {
      const missing: readonly string[] = commands[action];
      const expected = offered(change).filter((command) => !missing.includes(command));
      assert.deepEqual(offered({ ...change, lacks: [action] }), expected, action);
      assert.equal(expected.length, offered(change).length - missing.length, action);
    }
  });
  it('offer for several sessions what can be done with all of them at once, and nothing else', () => {
    const offeredForSeveral = (contributes.menus['view/item/context'] ?? [])
      .filter(({ when, group }) => when.includes(`view == ${SESSIONS_VIEW}`) && !group.startsWith('inline'))
      .filter(({ when }) => !when.includes('!listMultiSelection'))
      .map(({ command }) => command.replace('rethread.', ''));
    assert.deepEqual(new Set(offeredForSeveral), new Set(['repairSession', 'pinSession', 'unpinSession', 'export']));
  });
  it('offer all other commands everywhere', () => {
    assert.deepEqual(offered({ health: 'empty' }), [
      'openConversation',
      'resumeInTerminal',
      'resumeInPanel',
      'forkSession',
      'rewindFiles',
      'pinSession',
      'scanSession',
      'revealTranscript',
      'copySessionId',
      'showChanges',
      'export',
    ]);
  });
});

describe('The strings for people', () => {
  /** Every `t('…')` in the extension. */
  function stringsOfSources(): string[] {
    const found = new Set<string>();
    for (const name of readdirSync(join(ROOT, 'src/extension'), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const source = readFileSync(join(ROOT, 'src/extension', name), 'utf8');
      for (const match of source.matchAll(/\bt\(\s*'((?:[^'\\]|\\.)*)'/g))
        found.add((match[1] ?? '').replaceAll("\\'", "'"));
      assert.doesNotMatch(source, /\bt\(\s*[`"]/, `${name} translates something other than a plain literal`);
    }
    return [...found];
  }

  it('are all in the translation bundle, and no others are', () => {
    const bundle = v.parse(v.record(v.string(), v.string()), readJson('l10n/bundle.l10n.json'));
    assert.deepEqual(Object.keys(bundle).sort(), stringsOfSources().sort());
    for (const [key, value] of Object.entries(bundle)) assert.equal(value, key);
  });
});
