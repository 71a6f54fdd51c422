import type { JSX } from 'preact';
import type { ListedFile, RewindStage } from '../../protocol/channels/rewindView';
import { Icon } from '../ui/Icon';
import type { Translate } from '../ui/texts';
import { LineCounts } from './FileList';
import { type RewindApp, useApp } from './rewindApp';

type Asking = RewindStage & { readonly kind: 'plan' | 'undo' };

/** The button that changes the chosen files, with what has to be known before it is pressed. It stays in sight. */
export function ActionBar({ stage }: { stage: Asking }): JSX.Element {
  const app = useApp();
  const { choice, formats, view, t } = app;
  const { busy, unsaved } = view.value;
  const { token, files, isLive } = stage.kind === 'plan' ? stage.plan : stage.undo;
  const chosen = choice.chosen(files);
  const unsavedCount = chosen.filter(({ path }) => unsaved.includes(path)).length;
  const press = (): void => {
    if (busy !== null) return;
    const request = { token, paths: chosen.map(({ path }) => path) };
    if (stage.kind === 'plan') app.rewind(request);
    else app.undo(request);
  };
  return (
    <footer class="bar">
      {isLive && <Remark text={liveText(stage, t)} />}
      {unsavedCount > 0 && <Remark text={unsavedText(stage, unsavedCount, app)} />}
      <div class="bar-line">
        <button
          type="button"
          class="button"
          disabled={chosen.length === 0}
          // A button that is disabled would lose the focus.
          aria-disabled={busy !== null}
          onClick={press}
        >
          {buttonText(stage, chosen, app)}
        </button>
        <span class="bar-sum" role="status">
          {(isLive || stage.kind === 'undo') && <span>{filesText(chosen.length, app)}</span>}
          <LineCounts {...sum(chosen)} formats={formats} />
          {chosen.length === 0 && <span>{noneText(files, t)}</span>}
        </span>
        {stage.kind === 'plan' && chosen.length > 0 && (
          <span class="bar-promise">{t('A safety copy of every file is made first, so that this can be undone.')}</span>
        )}
      </div>
    </footer>
  );
}

function Remark({ text }: { text: string }): JSX.Element {
  return (
    <p class="remark">
      <Icon name="warning" />
      <span>{text}</span>
    </p>
  );
}

function buttonText(
  { kind, ...stage }: Asking,
  chosen: readonly ListedFile[],
  { view, formats, t }: RewindApp,
): string {
  const { busy } = view.value;
  const isLive = 'plan' in stage ? stage.plan.isLive : stage.undo.isLive;
  if (busy !== null) return busy === 'rewinding' ? t('Rewinding…') : t('Undoing…');
  if (kind === 'undo') return isLive ? t('Undo Anyway') : t('Undo Rewind');
  if (isLive) return t('Rewind Anyway');
  return chosen.length === 1 ? t('Rewind 1 File') : t('Rewind {0} Files', formats.number(chosen.length));
}

function liveText({ kind }: Asking, t: Translate): string {
  return kind === 'plan'
    ? t('Claude is using this session: it may change the same files, and knows nothing of the rewind.')
    : t('Claude is using this session: it may change the same files, and knows nothing of the undoing.');
}

function unsavedText({ kind }: Asking, count: number, { formats, t }: RewindApp): string {
  if (kind === 'undo') {
    return count === 1
      ? t('1 file has unsaved changes. It is saved first, and then stays as it is.')
      : t('{0} files have unsaved changes. They are saved first, and then stay as they are.', formats.number(count));
  }
  return count === 1
    ? t('1 file has unsaved changes. It is saved first, and you see what the rewind does to it.')
    : t(
        '{0} files have unsaved changes. They are saved first, and you see what the rewind does to them.',
        formats.number(count),
      );
}

function filesText(count: number, { formats, t }: RewindApp): string {
  return count === 1 ? t('1 file') : t('{0} files', formats.number(count));
}

function noneText(files: readonly ListedFile[], t: Translate): string {
  const isPossible = files.some(({ group }) => group !== 'left');
  return isPossible ? t('No file is checked.') : t('None of these files can be changed.');
}

function sum(files: readonly ListedFile[]): { readonly insertions: number; readonly deletions: number } {
  return {
    insertions: files.reduce((total, { insertions }) => total + insertions, 0),
    deletions: files.reduce((total, { deletions }) => total + deletions, 0),
  };
}
