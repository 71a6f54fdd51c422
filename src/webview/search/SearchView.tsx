import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { MAX_HITS, type SearchStatus } from '../../protocol/channels/searchView';
import { Icon, IconButton } from '../ui/Icon';
import type { Formats, Translate } from '../ui/texts';
import { ResultTree } from './ResultTree';
import { useApp } from './searchApp';
import { SearchForm } from './SearchForm';

export function SearchView(): JSX.Element {
  const { t } = useApp();
  return (
    <main class="view">
      <h1 class="visually-hidden">{t('Search')}</h1>
      <div class="head">
        <SearchForm />
        <StatusLine />
      </div>
      <ResultTree />
      <LiveText />
    </main>
  );
}

function StatusLine(): JSX.Element | null {
  const { state, formats, t } = useApp();
  const [status, hits, sessions] = [state.status.value, state.hits.value, state.sessions.value.length];
  switch (status.kind) {
    case 'idle':
      return (
        <p class="quiet">
          {t('Finds text in the prompts, replies, thinking, and the inputs and results of tools of all sessions.')}
        </p>
      );
    case 'failed':
      return (
        <p class="problem" role="alert">
          <Icon name="error" />
          <span>{status.problem}</span>
        </p>
      );
    case 'searching':
    case 'done': {
      const text = statusText(status, hits, sessions, formats, t);
      const short = shortStatusText(status.kind, hits, formats, t);
      // Some languages may begin with something else, and then have nothing that could be left out.
      const rest = text.startsWith(short) ? text.slice(short.length) : '';
      return (
        <>
          <div class="status-line">
            <p class={`status is-${status.kind}`} title={text}>
              {text.slice(0, text.length - rest.length)}
              <span class="status-rest">{rest}</span>
            </p>
            <span class="actions">
              <IconButton
                icon="refresh"
                label={t('Search again')}
                onPress={() => {
                  state.search();
                }}
              />
              <IconButton
                icon="fold"
                label={t('Collapse all')}
                isDisabled={hits === 0}
                onPress={() => {
                  state.foldAll();
                }}
              />
              <IconButton
                icon="close"
                label={t('Clear results')}
                onPress={() => {
                  state.edit({ text: '' });
                  state.inputAsked.value++;
                }}
              />
            </span>
          </div>
          {status.kind === 'searching' && (
            <progress
              class="progress"
              aria-label={t('Sessions searched')}
              max={Math.max(1, status.sessionsTotal)}
              value={status.sessionsDone}
            />
          )}
          {status.kind === 'done' && <Notes status={status} hits={hits} />}
        </>
      );
    }
  }
}

/** Why there may be more results than are shown. */
function Notes({ status, hits }: { status: SearchStatus & { readonly kind: 'done' }; hits: number }): JSX.Element {
  const { state, formats, t } = useApp();
  const { isCut, unreadable } = status;
  const cutText =
    hits >= MAX_HITS
      ? t('There are more results: narrow the search to see them.')
      : t('Some texts are too long, or took too long, to be searched completely: there may be more results.');
  const unreadableText =
    unreadable.length === 1
      ? t('1 transcript could not be read')
      : t('{0} transcripts could not be read', formats.number(unreadable.length));
  return (
    <>
      {isCut && <p class="note">{cutText}</p>}
      {hits === 0 && state.filters.value > 0 && (
        <p class="note">
          {t('The filters may exclude something.')}{' '}
          <button
            type="button"
            class="link"
            onClick={() => {
              state.clearFilters();
            }}
          >
            {t('Clear filters')}
          </button>
        </p>
      )}
      {unreadable.length > 0 && (
        <details class="note">
          <summary title={unreadableText}>{unreadableText}</summary>
          <ul class="unreadable">
            {unreadable.map(({ name, problem }, at) => (
              <li key={at}>
                {name}: {problem}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Announces how a search ended. Its progress is not announced. */
function LiveText(): JSX.Element {
  const { state, formats, t } = useApp();
  const status = state.status.value;
  const text = useMemo(() => {
    return status.kind === 'done'
      ? statusText(status, state.hits.peek(), state.sessions.peek().length, formats, t)
      : '';
  }, [status]);
  return (
    <div class="visually-hidden" role="status" data-live-text>
      {text}
    </div>
  );
}

function statusText(
  status: SearchStatus & { readonly kind: 'searching' | 'done' },
  hits: number,
  sessions: number,
  formats: Formats,
  t: Translate,
): string {
  const found = foundText(hits, sessions, formats, t);
  if (status.kind === 'searching') {
    const { sessionsDone, sessionsTotal } = status;
    const progress =
      sessionsTotal === 0
        ? t('Searching…')
        : t('Searching… {0} of {1} sessions', formats.number(sessionsDone), formats.number(sessionsTotal));
    return found === null ? progress : t('{0}. {1}', found, progress);
  }
  if (found !== null) return found;
  return status.sessionsTotal === 1
    ? t('No results in 1 session')
    : t('No results in {0} sessions', formats.number(status.sessionsTotal));
}

/** The beginning of the text that a low and narrow view shows. The bar below it says how far a search is. */
function shortStatusText(kind: 'searching' | 'done', hits: number, formats: Formats, t: Translate): string {
  if (hits > 0) return hits === 1 ? t('1 result') : t('{0} results', formats.number(hits));
  return kind === 'searching' ? t('Searching…') : t('No results');
}

/** Null if nothing was found. */
function foundText(hits: number, sessions: number, formats: Formats, t: Translate): string | null {
  if (hits === 0) return null;
  if (hits === 1) return t('1 result in 1 session');
  return sessions === 1
    ? t('{0} results in 1 session', formats.number(hits))
    : t('{0} results in {1} sessions', formats.number(hits), formats.number(sessions));
}
