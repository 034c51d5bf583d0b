import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** Reads what `node --cpu-prof` wrote: which functions the time went to. */

const profileFile = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.int() }),
      children: z.array(z.int()).optional(),
    }),
  ),
  /** Microseconds of the machine's monotonic clock. */
  startTime: z.number(),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.number()),
})

type Node = z.infer<typeof profileFile>['nodes'][number]

/** A stretch of time on the machine's monotonic clock, which all its processes share. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** The machine's monotonic clock, in microseconds. */
export function clock(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

interface Spent {
  readonly name: string
  /** Shares of the time in which the event loop did not wait. */
  readonly share: number
}

export interface Profile {
  /** Share of the stretch in which the event loop had something to do. */
  readonly busy: number
  /** The functions themselves, without what they call. */
  readonly self: readonly Spent[]
  /** Our functions with all that they call. */
  readonly total: readonly Spent[]
  /** Folders of ours and packages. */
  readonly areas: readonly Spent[]
}

/** Sums up a profile over some stretches of time; over all of it when none is given. */
export function readProfile(path: string, stretches: readonly Stretch[] = [{ from: 0, to: Infinity }]): Profile {
  const { nodes, samples, timeDeltas, startTime } = profileFile.parse(JSON.parse(readFileSync(path, 'utf8')))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)))
  const spentIn = new Map<number, number>()
  let at = startTime
  for (const [index, sample] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0
    at += delta
    if (stretches.some(({ from, to }) => at > from && at <= to)) spentIn.set(sample, (spentIn.get(sample) ?? 0) + delta)
  }

  const self = new Tally()
  const total = new Tally()
  const areas = new Tally()
  let waited = 0
  let worked = 0
  for (const [id, spent] of spentIn) {
    const node = byId.get(id)
    if (!node) continue
    if (node.callFrame.functionName === '(idle)') {
      waited += spent
      continue
    }
    worked += spent
    self.add(nameOf(node), spent)
    areas.add(areaOf(node), spent)
    const counted = new Set<string>()
    for (let up: Node | undefined = node; up; up = byId.get(parents.get(up.id) ?? -1)) {
      const name = nameOf(up)
      if (!counted.has(name) && isOurs(up)) total.add(name, spent)
      counted.add(name)
    }
  }
  return { busy: worked / (worked + waited), self: self.shares(worked), total: total.shares(worked), areas: areas.shares(worked) }
}

/** A profile as text. */
export function profileText(title: string, { busy, self, total, areas }: Profile, lines = 25): string {
  const list = (heading: string, spent: readonly Spent[], most: number) => [
    `  ${heading}`,
    ...spent.slice(0, most).map(({ name, share }) => `    ${percent(share)}  ${name}`),
  ]
  return [
    `\nProfile: ${title}; the event loop was busy ${percent(busy).trim()} of the time. Shares of that:`,
    ...list('by area', areas, 16),
    ...list('functions by themselves', self, lines),
    ...list('our functions with all that they call', total, lines),
    '',
  ].join('\n')
}

class Tally {
  readonly #spent = new Map<string, number>()

  add(name: string, spent: number): void {
    this.#spent.set(name, (this.#spent.get(name) ?? 0) + spent)
  }

  shares(all: number): Spent[] {
    return [...this.#spent].map(([name, spent]) => ({ name, share: spent / all })).sort((a, b) => b.share - a.share)
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1).padStart(5)} %`
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: Node): string {
  const file = shortened(url)
  return `${functionName || '(anonymous)'}${file ? `  ${file}:${lineNumber + 1}` : ''}`
}

function isOurs({ callFrame: { url } }: Node): boolean {
  return /\/(services|infra|bench)\//.test(url) && !url.includes('/node_modules/')
}

function areaOf({ callFrame: { functionName, url } }: Node): string {
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? []
  if (name !== undefined) return name
  const [, ours] = /^((?:services|infra)\/[^/]+|bench)\//.exec(shortened(url)) ?? []
  if (ours !== undefined) return ours
  if (url.startsWith('node:')) return 'node itself'
  return url === '' ? functionName || '(native)' : shortened(url)
}

function shortened(url: string): string {
  return url
    .replace(/^file:\/\//, '')
    .replace(/^.*\/node_modules\//, '')
    .replace(/^.*\/dist\/(bench\/)?/, '')
}
