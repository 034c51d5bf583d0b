import lighthouse, { type Config, desktopConfig } from 'lighthouse'
import { type Browser, chromium, type Page } from 'playwright-core'
import { z } from 'zod'
import { freePort } from '../test-support/servers/ports.ts'
import { quantile } from '../test-support/quantile.ts'
import { chromiumFlags, findChromium } from '../web/e2e/chromium.ts'
import { untilCaughtUp } from './clients.ts'
import { below, type Figure, median, percentiles, type Settings, type Subject, whole } from './figures.ts'
import { largeFirm } from './histories.ts'
import { signInAdmin, startDemo, startProgram } from './programs.ts'

const MOST_KB = 130
/** Requests of a first load: of the trader's first page, and of any other. */
const MOST_REQUESTS = { first: 15, others: 20 }
/** A page is complete when it requests nothing more for so long, in ms. */
const QUIET = 1_000
const LIGHTHOUSE_ROUNDS = 3
const SEARCHES = 40
/** Between two keys of a fast typist, in ms. */
const KEY_PAUSE = 70

/** What a browser loads at first, what Lighthouse thinks of it, and how soon the table of users answers. */
export const web: Subject = {
  name: 'web',
  about: 'the web app in Chromium: first load gzipped, Lighthouse, typing into the search of the users',

  async measure(settings: Settings): Promise<readonly Figure[]> {
    const port = await freePort()
    const executablePath = findChromium()
    if (executablePath === undefined) throw new Error('There is no Chromium: set CHROME_PATH, or install chromium')
    const browser = await chromium.launch({ executablePath, args: [...chromiumFlags, `--remote-debugging-port=${port}`] })
    settings.say('starting the demo')
    const demo = await startDemo()
    const visits: readonly Visit[] = [
      { path: '/auth', shown: 'Login', limit: MOST_KB },
      { path: '/', cookie: demo.trader, shown: 'Account Balance', limit: MOST_KB, mostRequests: MOST_REQUESTS.first },
      { path: '/payouts', cookie: demo.trader, shown: 'Request ID' },
      { path: '/admin/users', cookie: demo.admin, shown: 'Broker Login' },
      { path: '/admin/payouts', cookie: demo.admin, shown: 'Approve' },
    ]
    const figures: Figure[] = []
    for (const visit of visits) figures.push(...(await firstLoad(browser, demo.url, visit)))
    for (const { path, cookie } of visits) figures.push(...(await scores(`${demo.url}${path}`, path, cookie, port)))
    await demo.stop()
    figures.push(...(await typing(browser, settings)))
    await browser.close()
    return figures
  },
}

interface Visit {
  readonly path: string
  readonly cookie?: string
  /** A text of the complete page. */
  readonly shown: string
  readonly limit?: number
  readonly mostRequests?: number
}

async function openPage(browser: Browser, url: string, cookie = ''): Promise<Page> {
  // Browsers prefer brotli, which is smaller; the limit is for gzip.
  const extraHTTPHeaders = { 'accept-encoding': 'gzip' }
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 }, extraHTTPHeaders })
  const pairs = cookie.split('; ').filter((pair) => pair !== '')
  await context.addCookies(pairs.map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1), url })))
  return context.newPage()
}

async function firstLoad(browser: Browser, url: string, { path, cookie, shown, limit, mostRequests = MOST_REQUESTS.others }: Visit): Promise<Figure[]> {
  const page = await openPage(browser, url, cookie)
  const sizes: Promise<number>[] = []
  let requests = 0
  let newest = performance.now()
  page.on('request', (request) => {
    newest = performance.now()
    requests += 1
    if (!['script', 'stylesheet'].includes(request.resourceType())) return
    sizes.push(request.response().then(async () => (await request.sizes()).responseBodySize))
  })
  await page.goto(path)
  await page.getByText(shown).filter({ visible: true }).first().waitFor()
  while (performance.now() - newest < QUIET) await new Promise((resolve) => setTimeout(resolve, 100))
  const kB = (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0) / 1_000
  await page.context().close()
  const details = `${sizes.length} files of JS and CSS`
  const what = `first load of ${path}${cookie ? ' signed in' : ''}`
  return [
    limit === undefined ? { what, value: `${whole(kB)} kB, ${details}` } : below(what, limit, kB, 'kB', details),
    { what: '  requests', value: `${requests}`, goal: { text: `≤ ${mostRequests}`, met: requests <= mostRequests } },
  ]
}

/** Scores of Lighthouse from 0 to 100, as on a desktop and on a phone in a slow network. */
async function scores(address: string, path: string, cookie: string | undefined, port: number): Promise<Figure[]> {
  const figures: Figure[] = []
  const forms: readonly (readonly [string, number, Config | undefined])[] = [
    ['desktop', 98, desktopConfig],
    ['mobile', 95, undefined],
  ]
  for (const [form, least, config] of forms) {
    const rounds: Record<'performance' | 'accessibility' | 'best-practices', number[]> = { performance: [], accessibility: [], 'best-practices': [] }
    for (let round = 0; round < LIGHTHOUSE_ROUNDS; round++) {
      const report = (await lighthouse(address, { port, logLevel: 'error', ...(cookie && { extraHeaders: { Cookie: cookie } }) }, config))?.lhr
      if (!report || report.runtimeError) throw new Error(`Lighthouse could not open ${address}: ${report?.runtimeError?.message ?? 'no report'}`)
      for (const [category, values] of Object.entries(rounds)) values.push(Math.round((report.categories[category]?.score ?? 0) * 100))
    }
    const [performance, accessibility, practices] = [median(rounds.performance), median(rounds.accessibility), median(rounds['best-practices'])]
    figures.push({
      what: `Lighthouse, ${form}, ${path}`,
      value: `performance ${performance}, accessibility ${accessibility}, best practices ${practices}`,
      goal: { text: `≥ ${least}, 100, 100`, met: performance >= least && accessibility === 100 && practices === 100 },
    })
  }
  return figures
}

/** Types into the search of the administrators' table. */
async function typing(browser: Browser, settings: Settings): Promise<Figure[]> {
  const { dataDir, result } = await largeFirm(settings)
  // Playwright knows no key for other letters.
  const people = result.filter(({ fullName }) => /^[ -~]+$/.test(fullName))
  const { url, stop } = await startProgram({ dataDir })
  const admin = await signInAdmin(url)
  await untilCaughtUp(url, admin)
  const page = await openPage(browser, url, admin)
  await page.addInitScript(watchTasks)
  await page.goto('/admin/users')
  await page.locator('tbody tr[data-row]').first().waitFor()
  await longestTask(page)
  const [answered, tasks]: [number[], number[]] = [[], []]
  for (let n = 0; n < SEARCHES; n++) {
    const { fullName = '', email = '' } = people[n % people.length] ?? {}
    const [first = '', last = ''] = fullName.toLowerCase().split(' ')
    answered.push(await search(page, [first, last, last.slice(0, 4), email.split('@')[0] ?? ''][n % 4] ?? ''))
    tasks.push(await longestTask(page))
  }
  await page.context().close()
  await stop()
  return [
    below(`last key to answer in the table of ${whole(settings.users)} users, p95`, 200, quantile(answered, 0.95), 'ms', percentiles(answered, 0.5)),
    below('  longest task while typing', 50, Math.max(...tasks), 'ms', 'below 50 ms it is not measured'),
  ]
}

/** Types a text and returns how long after the last key every row fits, in ms. */
async function search(page: Page, text: string): Promise<number> {
  const field = page.getByRole('searchbox', { name: 'Search' })
  await field.fill('')
  await page.waitForURL((address) => !address.searchParams.has('search'))
  await field.pressSequentially(text.slice(0, -1), { delay: KEY_PAUSE })
  const ms = page.evaluate(`new Promise((answer) => {
    const text = ${JSON.stringify(text)}
    let began
    addEventListener('keydown', ({ timeStamp }) => { began = timeStamp }, { once: true, capture: true })
    const look = () => {
      const rows = [...document.querySelectorAll('tbody tr[data-row]')]
      const isAnswered = began !== undefined && new URLSearchParams(location.search).get('search') === text &&
        document.querySelector('table[aria-busy]') === null && rows.length > 0 && rows.every((row) => row.textContent.toLowerCase().includes(text))
      // It is painted in the next frame.
      requestAnimationFrame(isAnswered ? () => answer(performance.now() - began) : look)
    }
    look()
  })`)
  await field.press(text.at(-1) ?? '')
  return z.number().parse(await ms)
}

/** Runs in the page before its own scripts. */
const watchTasks = `
  globalThis.longTasks = []
  globalThis.taskObserver = new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
  taskObserver.observe({ type: 'longtask' })`

/** The longest task over 50 ms since the last call; 0 without any. */
async function longestTask(page: Page): Promise<number> {
  return z.number().parse(
    await page.evaluate(`(() => {
      longTasks.push(...taskObserver.takeRecords().map(({ duration }) => duration))
      return Math.max(0, ...longTasks.splice(0))
    })()`),
  )
}
