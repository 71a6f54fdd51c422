import { basename } from 'node:path';
import type { CheckpointCalls, HookChange } from '../../protocol/channels/history';
import type { Services } from '../services';

export interface HookFlowDeps extends Pick<Services, 'dialogs' | 'log' | 't'> {
  readonly hooks: Pick<CheckpointCalls, 'planHook' | 'applyHook'>;
  /** The program that Claude Code runs before it edits a file. */
  readonly launcher: {
    /** As a shell runs it. */
    readonly command: string;
    /** Installs the program at the path that the command names. */
    install(): Promise<void>;
  };
  /** Absolute path of the folder that contains the extension's own. */
  readonly extensionsFolder: string;
  readonly previews: {
    show(change: HookChange, title: string): Promise<void>;
    close(): Promise<void>;
  };
  /** Absolute path of one of the window's folders; null if there is none or the person cancels. */
  readonly chooseFolder: () => Promise<string | null>;
  readonly hasFolder: () => boolean;
  /** Of larger files, no copy is kept: a whole number of megabytes. */
  readonly maxFileSizeMB: () => number;
  /** False in Restricted Mode. */
  readonly isTrusted: () => boolean;
}

/** Enables or disables checkpoints for a project, after showing the change to its settings. */
export class HookFlow {
  readonly #deps: HookFlowDeps;

  constructor(deps: HookFlowDeps) {
    this.#deps = deps;
  }

  async setEnabled(isEnabled: boolean): Promise<void> {
    const { hooks, launcher, previews, chooseFolder, hasFolder, isTrusted, maxFileSizeMB, dialogs, t } = this.#deps;
    if (!hasFolder()) {
      void dialogs.notify('info', t('Open the folder of a project first: checkpoints are a setting of the project.'));
      return;
    }
    if (isEnabled && !isTrusted()) {
      void dialogs.notify('info', t('Checkpoints cannot be enabled in Restricted Mode. Trust the workspace first.'));
      return;
    }
    const folder = await chooseFolder();
    if (folder === null) return;
    const name = basename(folder);
    const change = await hooks.planHook(folder, isEnabled, launcher.command, maxFileSizeMB());
    if (change.problem !== null) {
      void dialogs.notify('error', change.problem);
      return;
    }
    if (change.before === change.after) {
      const message = isEnabled
        ? t('Checkpoints are on already in “{0}”.', name)
        : t('Checkpoints are off in “{0}”.', name);
      void dialogs.notify('info', message);
      return;
    }
    if (change.replaces !== null && !(await this.#mayReplace(change.replaces, name))) return;
    await previews.show(change, name);
    if (await this.#confirm(isEnabled, name, change.settingsPath)) await this.#apply(change, isEnabled, name);
    await previews.close();
  }

  /** The hook of another editor's Rethread makes the same checkpoints. */
  async #mayReplace(command: string, name: string): Promise<boolean> {
    const { dialogs, t } = this.#deps;
    const replace = t('Replace It');
    const answer = await dialogs.ask({
      kind: 'info',
      message: t('Another installation of Rethread already makes checkpoints in “{0}”.', name),
      detail: t('It runs this command: {0}. One is enough: keep it unless that installation is gone.', command),
      buttons: [t('Keep It'), replace],
    });
    return answer === replace;
  }

  async #confirm(isEnabled: boolean, name: string, path: string): Promise<boolean> {
    const { dialogs, t } = this.#deps;
    const button = isEnabled ? t('Enable') : t('Disable');
    const answer = await dialogs.ask({
      kind: 'info',
      message: isEnabled ? t('Enable checkpoints in “{0}”?', name) : t('Disable checkpoints in “{0}”?', name),
      detail: isEnabled
        ? t(
            'Before it edits a file, Claude Code will have Rethread keep a copy, so that the file can be rewound. The editor shows the change of {0}.',
            path,
          )
        : t('Checkpoints that were made stay. The editor shows the change of {0}.', path),
      buttons: [button],
    });
    return answer === button;
  }

  async #apply(change: HookChange, isEnabled: boolean, name: string): Promise<void> {
    const { hooks, launcher, extensionsFolder, dialogs, log, t } = this.#deps;
    if (isEnabled) await launcher.install();
    const problem = await hooks.applyHook(change, extensionsFolder);
    if (problem !== null) {
      log.warn(`${change.settingsPath}: not changed: ${problem}`);
      void dialogs.notify('error', problem);
      return;
    }
    log.info(`${change.settingsPath}: checkpoints ${isEnabled ? 'enabled' : 'disabled'}`);
    const message = isEnabled
      ? t('Checkpoints are on in “{0}”, for sessions that are started or resumed from now on.', name)
      : t('Checkpoints are off in “{0}”, for sessions that are started or resumed from now on.', name);
    void dialogs.notify('info', message);
  }
}
