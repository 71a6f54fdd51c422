import * as vscode from 'vscode';
import type { TokensAction } from '../../shared/api/tokens';
import type { UsageView } from '../../shared/api/usage';
import type { ConversationHead } from '../../shared/conversation';
import { readConfigDir, readPrices } from '../config/configuration';
import { SETTINGS } from '../config/settings';
import { TOKENS_VIEW } from '../config/viewIds';
import { Disposable } from '../lifetime/disposable';
import type { CurrentSession } from '../sessions/currentSession';
import type { SessionsModel } from '../sessions/sessionsModel';
import { findSession } from '../sessions/sessionsState';
import type { Log } from '../text/log';
import { sessionLabel } from '../text/sessionTitle';
import type { Translate } from '../text/translate';
import type { WorkerClient } from '../worker/workerClient';
import { exportTokens } from './exportTokens';
import { projectLabel } from './projectLabel';
import type { ShownSession } from './tokensModel';
import { TokensModel } from './tokensModel';
import { TokensView } from './tokensView';

export interface TokensFeatureParts {
  readonly client: Pick<
    WorkerClient,
    'usage' | 'onUsageChanged' | 'onRestarted' | 'onGaveUp' | 'tryAgain' | 'onConversationChanged'
  >;
  readonly model: SessionsModel;
  readonly current: CurrentSession;
  /** What is known of a conversation that is open; null for others. */
  readonly headOf: (filePath: string) => ConversationHead | null;
  /** Makes sure that a worker which is started knows what it has to. */
  readonly prepare: () => void;
  readonly describe: (error: unknown) => string;
  readonly extensionUri: vscode.Uri;
  readonly homeDir: string;
  readonly log: Log;
  readonly t: Translate;
}

/** The Tokens view, and what else is told of tokens. */
export class TokensFeature extends Disposable {
  readonly #parts: TokensFeatureParts;
  readonly #model: TokensModel;

  constructor(parts: TokensFeatureParts) {
    super();
    this.#parts = parts;
    const { client, model, current, prepare, describe, extensionUri, homeDir, log, t } = parts;
    const tokens = this._register(
      new TokensModel({
        client,
        prepare,
        describe,
        readSettings: () => ({
          view: readConfigDir() === null ? null : usageView(),
          invalidPrices: readPrices().invalid,
        }),
        shownSession: () => this.#shownSession(),
        labelOf: (project) => projectLabel(project, homeDir),
        texts: {
          gaveUp: () => t('What counts the tokens has stopped several times in a row.'),
          noFolder: () => t('The setting rethread.claudeConfigDir has to be an absolute path, or to begin with ~/.'),
          gone: () => t('The transcript is gone.'),
          invalidPrices: (invalid) =>
            t('Some prices in the settings are not used, since they are no numbers from 0 up: {0}', invalid.join(', ')),
        },
        now: Date.now,
      }),
    );
    this.#model = tokens;
    const moved = (): void => {
      tokens.sessionMoved();
    };
    this._register(current.onChange(moved));
    this._register(model.onChange(moved));
    this._register(
      client.onConversationChanged(({ filePath }) => {
        tokens.sessionGrew(filePath);
      }),
    );
    const view = new TokensView({
      model: tokens,
      act: (action) => this.#act(action),
      describe,
      extensionUri,
      log,
      t,
    });
    this._register(view);
    this._register(vscode.window.registerWebviewViewProvider(TOKENS_VIEW, view));
  }

  /** Settings or the config folder changed; the worker knows. */
  reconfigure(): void {
    this.#model.reconfigure();
  }

  export(): Promise<void> {
    const { client, prepare, t } = this.#parts;
    return exportTokens({ usage: client.usage, prepare, readView: usageView, t });
  }

  async #act(action: TokensAction): Promise<void> {
    switch (action) {
      case 'export':
        return this.export();
      case 'openPrices':
        return openSetting(SETTINGS.priceOverrides);
      case 'openFolderSetting':
        return openSetting(SETTINGS.claudeConfigDir);
      case 'tryAgain':
        this.#parts.prepare();
        this.#parts.client.tryAgain();
        this.#model.reconfigure();
    }
  }

  #shownSession(): ShownSession | null {
    const { model, current, headOf, t } = this.#parts;
    const { filePath } = current;
    if (filePath === null) return null;
    const known = findSession(model.snapshot, filePath)?.session;
    const sessionId = filePath.replace(/^.*[\\/]|\.jsonl$/g, '');
    const title = known?.title ?? headOf(filePath)?.title ?? null;
    return { filePath, title: sessionLabel({ title, sessionId, filePath }, t), live: known?.live ?? null };
  }
}

/** Days are those of this window. */
export function usageView(): UsageView {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return { timeZone, priceOverrides: readPrices().overrides };
}

async function openSetting(key: string): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `${SETTINGS.section}.${key}`);
}
