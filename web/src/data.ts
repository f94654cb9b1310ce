// What the page is told: report_data of src/c2rl/report/page.h writes it.

/** Numbers that JSON has no word for are texts: "inf", "-inf", "nan". */
export type Num = number | "inf" | "-inf" | "nan";

export interface ResultPolicy {
  id: string;
  weight: Num;
  measurement: Num[];
  standard_error: Num[];
  episodes?: number;
  cut?: number;
  simulated?: Num[];
}

/** result.json, as far as the page reads it. */
export interface Result {
  status: string;
  measurements: string[];
  measurement: Num[];
  standard_error: Num[];
  distance: Num;
  distance_standard_error: Num;
  distance_lower_bound: Num;
  error: Num;
  certificate: { direction: Num[]; bound: Num; grade: string } | null;
  claim?: { grade: string; level: Num };
  simulated?: { measurement: Num[]; distance: Num };
  oracle_calls: number;
  policies: ResultPolicy[];
  policies_stored_max: number;
  env_steps: number;
  steps?: Record<string, number>;
  seconds: Num;
  seed: number;
  solver: string;
  tolerance: Num;
}

export interface ConstraintPart {
  value: Num;
  lower: Num;
  upper: Num;
}

export interface Constraint {
  text: string;
  state?: "holds" | "tight" | "violated";
  words?: string;
  slack?: Num;
  parts?: ConstraintPart[];
}

/** The calls that are drawn, field by field. */
export interface History {
  calls: number;
  call: number[];
  distance: number[];
  bound: number[];
  policies: number[];
  point: number[][];
  nearest: number[][];
  direction: number[][];
  answer: number[];
  seconds: number[];
  steps: number[];
  attempts: number[];
  weights: [number, number][][];
  /** The last entry is what the run ended with, when fresh episodes had been counted in. */
  ended?: boolean;
}

export interface FoundPolicy {
  call: number;
  point: number[];
  standard_error: number[];
}

/** Left, bottom, right, top. */
export type Box = [number, number, number, number];

export interface PairView {
  pair: [number, number];
  all: Box;
  near: Box;
  target: [number, number][];
}

export interface Totals {
  episodes: number;
  measurements: { edges: number[]; shares: number[][] }[];
}

export interface GridMap {
  columns: number;
  /** By cell, row after row; empty where nothing stands. */
  marks: string[];
  terminal: number[];
  blocked: number[];
  policies: { visits: number[]; actions: (number[] | null)[]; episodes: number[][] }[];
}

/** A learning curve: what training had come to after so many steps, along the direction asked. */
export interface Curve {
  call: number;
  attempt: number;
  steps: number[];
  value: number[];
  checked: boolean[];
}

export interface RunData {
  kind: "run";
  name: string;
  directory: string;
  finished: boolean;
  headline: string;
  words: { certificate: string; bracket: string; claim: string; cut: string };
  result: Result;
  oracle: string;
  offline: boolean;
  constraints: Constraint[];
  history: History;
  found: number;
  policies: FoundPolicy[];
  space: PairView[];
  time: { oracle: number; drawing: number; rest: number | null };
  problem: string;
  totals?: Totals | null;
  map?: GridMap;
  curves?: Curve[];
  missing?: string;
}

export type Statistic = "mean" | "sd" | "median" | "q1" | "q3" | "iqm" | "iqm_low" | "iqm_high";
export type Spreads = Record<Statistic, (number | null)[]>;

export interface Course {
  at: number[];
  error: Spreads;
  policies: Spreads;
}

export interface Series {
  method: string;
  problem: string;
  variants: string[];
  cells: number;
  calls: Course;
  steps: Course;
  seconds: Course;
}

export interface ExperimentData {
  kind: "experiment";
  name: string;
  directory: string;
  cells: number;
  done: number;
  seeds: number;
  axes: string[];
  series: Series[];
  overview: string[][];
  claims: string[][];
  all_hold: boolean;
}

export type Item = RunData | ExperimentData;

export interface ReportData {
  items: Item[];
}

export function num(value: Num): number {
  if (typeof value === "number") return value;
  return value === "inf" ? Infinity : value === "-inf" ? -Infinity : NaN;
}
