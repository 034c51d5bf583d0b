import type { TranslationKeys } from '@zxcvbn-ts/core'

/** How easily a password is guessed, by zxcvbn: servers refuse by it, and forms show it. */

/** A password that needs fewer guesses, as a power of ten, is refused. */
const LEAST = 4

/** How much of each end is estimated: the time grows with the square of the length, and anyone may send passwords. */
const LONGEST = 32

const levels = ['too easy to guess', 'weak', 'fair', 'good', 'strong'] as const

export interface PasswordStrength {
  /** From 0, which is refused, to 4. */
  readonly level: 0 | 1 | 2 | 3 | 4
  readonly label: (typeof levels)[number]
  /** Why it is easy to guess, to follow 'because'. */
  readonly reason: string
}

/** The strength of a password; of a long one, that of its stronger end. */
export async function passwordStrength(password: string): Promise<PasswordStrength> {
  estimator ??= loadEstimator()
  const loaded = await estimator
  const ends = password.length > LONGEST ? [password.slice(0, LONGEST), password.slice(-LONGEST)] : [password]
  const estimates = ends.map((end) => loaded.check(end))
  const { guessesLog10, feedback } = estimates.reduce((one, other) =>
    other.guessesLog10 > one.guessesLog10 ? other : one,
  )
  const level = levelOf(guessesLog10)
  return { level, label: levels[level], reason: reasonOf(feedback.warning) }
}

function levelOf(guesses: number): PasswordStrength['level'] {
  if (guesses < LEAST) return 0
  if (guesses < 6) return 1
  if (guesses < 8) return 2
  return guesses < 10 ? 3 : 4
}

const reasons: Readonly<Record<keyof TranslationKeys['warnings'], string>> = {
  straightRow: 'its keys stand in a row',
  keyPattern: 'its keys make a short pattern',
  simpleRepeat: 'it repeats a character',
  extendedRepeat: 'it repeats a few characters',
  sequences: 'it is a sequence, like abcd or 4321',
  recentYears: 'it is a recent year',
  dates: 'it is a date',
  topTen: 'a great many people use it',
  topHundred: 'very many people use it',
  common: 'many people use it',
  similarToCommon: 'it is close to one that many people use',
  wordByItself: 'it is a single word',
  namesByThemselves: 'it is a name',
  commonNames: 'it is a common name',
  userInputs: 'it is what is known about you',
  pwned: 'it was published in a data leak',
}

/** zxcvbn names a reason by its key. */
function reasonOf(warning: string | null): string {
  return Object.entries(reasons).find(([key]) => key === warning)?.[1] ?? 'it is short and simple'
}

/** The lists load slowly, so only where passwords are set. */
let estimator: ReturnType<typeof loadEstimator> | undefined

async function loadEstimator() {
  const [{ ZxcvbnFactory }, { adjacencyGraphs: graphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary, graphs })
}
