import { basename } from 'node:path';
import type { SessionsCalls } from '../../protocol/channels/sessions';
import type { RepairFailureReason } from '../../protocol/repair';
import type { SlimmedKind, SlimOutcome, SlimResult } from '../../protocol/slim';
import type { Services } from '../services';
import type { NamedSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import type { Translate } from '../text/translate';
import { failureMessage } from './repairText';

/** What is used of the services of the window. */
export interface SessionSlimsDeps extends Pick<Services, 'dialogs' | 'formats' | 'log' | 't'> {
  readonly client: { readonly sessions: Pick<SessionsCalls, 'planSlim' | 'slim' | 'undoSlim'> };
}

/** Slims giant transcripts, and undoes that. */
export class SessionSlims {
  /** @param onRewritten called with the path of a transcript that was slimmed, or put back */
  constructor(
    private readonly services: SessionSlimsDeps,
    private readonly onRewritten: (filePath: string) => void,
  ) {}

  /** Shows how many bytes of what would be removed, and removes them if the person wants that. */
  async slim(session: NamedSession): Promise<void> {
    const { client, dialogs, t } = this.services;
    const title = sessionLabel(session, t);
    const plan = await dialogs.during(t('Looking for what nobody reads in “{0}”', title), () =>
      client.sessions.planSlim(session),
    );
    if (plan.result.status === 'failed') {
      this.#sayFailed(plan);
      return;
    }
    if (plan.result.status === 'already_slim') {
      dialogs.note(t('There is nothing to remove from “{0}”', title));
      return;
    }
    const slim = t('Slim');
    if ((await dialogs.ask({ kind: 'info', ...this.#question(title, plan.result), buttons: [slim] })) !== slim) return;
    const outcome = await this.#unlessRefused(t('Slim Anyway'), (mayBeLive) =>
      dialogs.during(t('Slimming “{0}”', title), () => client.sessions.slim(session, mayBeLive)),
    );
    if (outcome !== null) await this.#offerUndo(session, outcome);
  }

  async #offerUndo(session: NamedSession, { result, problem }: SlimOutcome): Promise<void> {
    const { client, dialogs, formats, log, t } = this.services;
    const { backupPath, bytesBefore, bytesAfter } = result;
    log.info(`Slimmed ${result.filePath}; backup: ${backupPath ?? 'none'}`);
    this.onRewritten(session.path);
    this.#warn(problem);
    const title = sessionLabel(session, t);
    const sizes = [formats.size(bytesBefore), formats.size(bytesAfter)] as const;
    const original = backupPath === undefined ? '' : basename(backupPath);
    const done = t(
      '“{0}” was slimmed from {1} to {2}. Disk space is freed once you delete the original, which is kept beside it as {3}.',
      title,
      ...sizes,
      original,
    );
    const undo = t('Undo');
    if ((await dialogs.notify('info', done, undo)) !== undo) return;
    const undone = await this.#unlessRefused(t('Undo Anyway'), (mayBeLive) =>
      dialogs.during(t('Putting back the original of “{0}”', title), () =>
        client.sessions.undoSlim(session, mayBeLive),
      ),
    );
    if (undone === null) return;
    log.info(`Undid the slimming of ${session.path}`);
    this.onRewritten(session.path);
    this.#warn(undone.problem);
    dialogs.note(t('“{0}” is as it was before it was slimmed', title));
  }

  #question(title: string, result: SlimResult): { readonly message: string; readonly detail: string } {
    const { formats, t } = this.services;
    const { kinds, bytesBefore, bytesAfter } = result;
    const removed = kinds.map((kind) => this.#removed(kind));
    const same = t('Claude remembers the same as before.');
    const space = t('The original is kept beside it, so disk space is freed only once you delete that.');
    return {
      message: t('Slim “{0}” from {1} to {2}?', title, formats.size(bytesBefore), formats.size(bytesAfter)),
      detail: [...removed, same, space].join(' '),
    };
  }

  #removed({ kind, rows, bytesBefore }: SlimmedKind): string {
    const { formats, t } = this.services;
    const [count, size] = [formats.number(rows), formats.size(bytesBefore)];
    switch (kind) {
      case 'progress':
        return rows === 1
          ? t('1 entry of progress that an old client wrote ({0}) is removed.', size)
          : t('{0} entries of progress that an old client wrote ({1}) are removed.', count, size);
      case 'attachments':
        return rows === 1
          ? t('1 copy of the system prompt that repeats the one before ({0}) is removed.', size)
          : t('{0} copies of the system prompt that repeat the one before ({1}) are removed.', count, size);
      case 'outputs':
        return rows === 1
          ? t('1 long output of a tool ({0}), which only the display of Claude Code reads, is moved to a file.', size)
          : t(
              '{0} long outputs of tools ({1}), which only the display of Claude Code reads, are moved to files.',
              count,
              size,
            );
    }
  }

  /** Says why it was refused, and tries again if the person insists. Null if nothing was changed. */
  async #unlessRefused(
    anyway: string,
    work: (mayBeLive: boolean) => Promise<SlimOutcome>,
  ): Promise<SlimOutcome | null> {
    const { dialogs, t } = this.services;
    let outcome = await work(false);
    if (outcome.result.status === 'failed' && outcome.result.reason === 'maybe-live') {
      const why = outcome.problem ?? failureMessage('maybe-live', t);
      if ((await dialogs.notify('warning', why, anyway)) !== anyway) return null;
      outcome = await work(true);
    }
    if (outcome.result.status !== 'failed') return outcome;
    this.#sayFailed(outcome);
    return null;
  }

  /** The engine's own sentence, which names files, is in the log. */
  #sayFailed({ result, problem }: SlimOutcome): void {
    const { dialogs, log, t } = this.services;
    const reason = result.reason ?? 'write-failed';
    log.warn(`Nothing was changed in ${result.filePath}: ${reason}${problem === null ? '' : `: ${problem}`}`);
    void dialogs.notify('error', refusalText(reason, t));
  }

  /** What Claude wrote in the moment of the change is in another file, which the sentence names. */
  #warn(problem: string | null): void {
    if (problem !== null) void this.services.dialogs.notify('warning', problem);
  }
}

/** Where the words of a repair would be wrong. */
function refusalText(reason: RepairFailureReason, t: Translate): string {
  switch (reason) {
    case 'locked':
      return t('Another window is working on this session.');
    case 'changed-while-repairing':
      return t('The transcript changed meanwhile, so it was left as it is. Try again.');
    case 'changed-since-repair':
      return t('The transcript was also changed in other ways, so the original was not put back.');
    case 'symlink':
      return t('The transcript is a symbolic link. Slim the file that it points to.');
    case 'not-repairable':
      return t('Nothing can be removed without changing what Claude remembers.');
    case 'live':
    case 'maybe-live':
    case 'declined':
    case 'read-only':
    case 'no-space':
    case 'unreadable':
    case 'missing':
    case 'not-a-file':
    case 'no-backup':
    case 'write-failed':
      return failureMessage(reason, t);
  }
}
