import type { Translate } from '../text/translate';

/**
 * Every text of the Search view in the window's language, keyed by its English text. A test compares the list with the
 * view's sources. The view itself replaces `{0}`.
 */
export function searchTexts(translate: Translate): Readonly<Record<string, string>> {
  // Named `t`, so that the texts are found for translation.
  const t = (english: string): readonly [string, string] => [english, translate(english)];
  return Object.fromEntries([
    t('1 result'),
    t('1 result in 1 session'),
    t('1 transcript could not be read'),
    t('A project that is gone'),
    t('All projects'),
    t('Any branch'),
    t('Any time'),
    t('Any tool'),
    t('Claude'),
    t('Clear filters'),
    t('Clear results'),
    t('Collapse all'),
    t('Date'),
    t('Everybody'),
    t('Filters'),
    t('Filters (1 set)'),
    t('Filters ({0} set)'),
    t('Finds text in the prompts, replies, thinking, and the inputs and results of tools of all sessions.'),
    t('Git branch'),
    t('Last 30 days'),
    t('Last 7 days'),
    t('Match Case (Alt+C)'),
    t('No results'),
    t('No results in 1 session'),
    t('No results in {0} sessions'),
    t('Note of Claude Code'),
    t('Older than 30 days'),
    t('Project'),
    t('Said by'),
    t('Search'),
    t('Search again'),
    t('Search conversations'),
    t('Search results'),
    t('Searching…'),
    t('Searching… {0} of {1} sessions'),
    t('Sessions searched'),
    t('Some texts are too long, or took too long, to be searched completely: there may be more results.'),
    t('The filters may exclude something.'),
    t('There are more results: narrow the search to see them.'),
    t('This folder'),
    t('Today'),
    t('Tool'),
    t('Tool result'),
    t('Tools'),
    t('Use Regular Expression (Alt+R)'),
    t('You'),
    t('{0} results'),
    t('{0} results in 1 session'),
    t('{0} results in {1} sessions'),
    t('{0} transcripts could not be read'),
    t('{0}. {1}'),
  ]);
}
