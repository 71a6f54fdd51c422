import type { LoadSummary } from '../../src/protocol/session';
import { readCountedRows, readGluedRows } from './countedRows';
import { contentOfRows, type Judgement } from './judge';

export interface PredictionDifference {
  /** True if `loads`, `of` and `missingLines` match the client, row for row. */
  readonly isEqual: boolean;
  /** Lines predicted as loaded whose content is not in the request. */
  readonly notLoaded: readonly number[];
  /** Lines predicted as missing whose content is in the request, and in no row that is predicted as loaded. */
  readonly loadedAllTheSame: readonly number[];
  /**
   * Lines predicted as missing whose content is also in a row that is predicted as loaded, or in one without a
   * prediction because more follows on its line: no difference.
   */
  readonly copies: readonly number[];
  /** Contradictions within the prediction, and a wrong count of rows. */
  readonly problems: readonly string[];
}

/** Sets a prediction by row against a judgement by content. */
export function comparePrediction(bytes: Buffer, prediction: LoadSummary, judged: Judgement): PredictionDifference {
  const rows = readCountedRows(bytes);
  const predictedMissing = new Set(prediction.missingLines);
  const judgedMissing = new Set(judged.missingLines);
  const loaded = rows.filter(({ line }) => !predictedMissing.has(line));
  const standsInLoadedRow = contentOfRows([...loaded, ...readGluedRows(bytes)]);
  const foundAnyway = rows.filter(({ line }) => predictedMissing.has(line) && !judgedMissing.has(line));
  const copies = foundAnyway.filter(({ keys }) => keys.every(standsInLoadedRow));
  const loadedAllTheSame = foundAnyway.filter((row) => !copies.includes(row)).map(({ line }) => line);
  const notLoaded = judged.missingLines.filter((line) => !predictedMissing.has(line));
  const problems = contradictions(prediction, judged, new Set(rows.map(({ line }) => line)));
  return {
    isEqual: notLoaded.length === 0 && loadedAllTheSame.length === 0 && problems.length === 0,
    notLoaded,
    loadedAllTheSame,
    copies: copies.map(({ line }) => line),
    problems,
  };
}

function contradictions(prediction: LoadSummary, judged: Judgement, counted: ReadonlySet<number>): string[] {
  const { loads, of, missingLines } = prediction;
  const problems: string[] = [];
  if (of !== judged.of) problems.push(`of is ${of}, the transcript holds ${judged.of} counted rows`);
  if (loads !== of - missingLines.length)
    problems.push(`loads is ${loads}, of - missing is ${of - missingLines.length}`);
  const strangers = missingLines.filter((line) => !counted.has(line));
  if (strangers.length > 0) problems.push(`missing lines that are no counted rows: ${strangers.join(', ')}`);
  if (missingLines.some((line, at) => at > 0 && line <= (missingLines[at - 1] ?? 0))) {
    problems.push('missingLines are not ascending');
  }
  return problems;
}

/** One line for people. */
export function describeDifference(difference: PredictionDifference): string {
  const { notLoaded, loadedAllTheSame, problems } = difference;
  const said = [...problems];
  if (notLoaded.length > 0) said.push(`predicted as loaded, but missing: lines ${notLoaded.join(', ')}`);
  if (loadedAllTheSame.length > 0) said.push(`predicted as missing, but loaded: lines ${loadedAllTheSame.join(', ')}`);
  return said.length === 0 ? 'no difference' : said.join('; ');
}

/** How many rows a prediction by row says are loaded when an identical copy of a loaded row counts as loaded. */
export function loadsByContent(bytes: Buffer, prediction: LoadSummary): number {
  const missing = new Set(prediction.missingLines);
  const rows = readCountedRows(bytes);
  const standsInLoadedRow = contentOfRows(rows.filter(({ line }) => !missing.has(line)));
  return rows.filter(({ line, keys }) => !missing.has(line) || keys.every(standsInLoadedRow)).length;
}
