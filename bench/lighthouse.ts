import lighthouse, { desktopConfig, type Config } from 'lighthouse'
import { freePort } from '../test-support/servers/ports.ts'
import { openChromium } from './chromium.ts'
import { startDemo } from './demo.ts'
import { atLeast, type Figure, type Settings, type Subject } from './figures.ts'
import { median } from './statistics.ts'

const ROUNDS = 3

interface Form {
  readonly name: string
  readonly leastPerformance: number
  readonly config: Config | undefined
}

const forms: readonly Form[] = [
  { name: 'desktop', leastPerformance: 98, config: desktopConfig },
  // Lighthouse's own: a phone of the middle class in a slow network.
  { name: 'mobile', leastPerformance: 90, config: undefined },
]

/** What Lighthouse thinks of the pages, as they are served. */
export const pages: Subject = {
  name: 'lighthouse',
  about: `Lighthouse on the production server, the median of ${ROUNDS}: performance, accessibility, best practices, SEO`,

  async measure({ profile, say }: Settings): Promise<readonly Figure[]> {
    say('making the demo')
    const { program, trader, admin } = await startDemo()
    const port = await freePort()
    const browser = await openChromium([`--remote-debugging-port=${port}`])
    const visits = [{ path: '/auth' }, { path: '/', cookie: trader }, { path: '/payouts', cookie: trader }, { path: '/admin/users', cookie: admin }]
    const figures: Figure[] = []
    for (const { path, cookie } of visits) {
      for (const { name, leastPerformance, config } of forms) {
        const rounds: Scores[] = []
        for (let round = 0; round < ROUNDS; round++)
          rounds.push(await look({ address: `${program.url}${path}`, cookie, port, config, tell: profile && round === 0 ? say : undefined }))
        const [performance, accessibility, bestPractices, seo] = (['performance', 'accessibility', 'best-practices', 'seo'] as const).map((category) =>
          median(rounds.map((scores) => scores[category])),
        )
        const value = `${performance}, ${accessibility}, ${bestPractices}, ${seo}  (largest paint ${Math.round(median(rounds.map(({ largestPaint }) => largestPaint)))} ms, shift ${median(rounds.map(({ shift }) => shift)).toFixed(3)})`
        say(`${path} ${name}: ${value}`)
        const worst = Math.min((performance ?? 0) - leastPerformance, (accessibility ?? 0) - 100, (bestPractices ?? 0) - 100)
        figures.push({ what: `${path} ${name}`, value, target: { ...atLeast(worst, 0), text: `≥ ${leastPerformance}, 100, 100` } })
      }
    }
    await browser.close()
    await program.stop()
    return figures
  },
}

type Category = 'performance' | 'accessibility' | 'best-practices' | 'seo'
type Scores = Readonly<Record<Category | 'largestPaint' | 'shift', number>>

interface Look {
  readonly address: string
  readonly cookie: string | undefined
  readonly port: number
  readonly config: Config | undefined
  /** Is told what costs points. */
  readonly tell: ((line: string) => void) | undefined
}

/** Scores from 0 to 100. */
async function look({ address, cookie, port, config, tell }: Look): Promise<Scores> {
  const flags = { port, logLevel: 'error', ...(cookie !== undefined && { extraHeaders: { Cookie: cookie } }) } as const
  const report = (await lighthouse(address, flags, config))?.lhr
  if (!report || report.runtimeError) throw new Error(`Lighthouse could not look at ${address}: ${report?.runtimeError?.message ?? 'no report'}`)
  const { categories, audits } = report
  const score = (category: Category) => Math.round((categories[category]?.score ?? 0) * 100)
  for (const { title, auditRefs } of Object.values(categories))
    for (const { id, weight } of auditRefs) {
      const audit = audits[id]
      if (tell && audit && weight > 0 && (audit.score ?? 1) < 1) tell(`  ${title}: ${audit.title} (${audit.displayValue ?? audit.score})`)
    }
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    'best-practices': score('best-practices'),
    seo: score('seo'),
    largestPaint: audits['largest-contentful-paint']?.numericValue ?? Number.NaN,
    shift: audits['cumulative-layout-shift']?.numericValue ?? Number.NaN,
  }
}
