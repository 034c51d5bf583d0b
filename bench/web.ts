import lighthouse from 'lighthouse'
import { type Browser, chromium, type Page } from 'playwright-core'
import { z } from 'zod'
import { freePort } from '#test-support/servers/ports.ts'
import { chromiumFlags, findChromium } from '../web/e2e/chromium.ts'
import { below, type Figure, median, p95, percentiles, type Settings, type Subject, whole } from './figures.ts'
import { largeFirm } from './histories.ts'
import { openPortal, startDemo } from './programs.ts'

/** JavaScript and CSS of a first load as sent, in kB, and its requests: an alarm, not a goal. */
const alarms = { auth: { kB: 191, requests: 20 }, first: { kB: 201, requests: 25 } } as const
/** 400 kbit/s in bytes, and ms until an answer begins. */
const SLOW = { offline: false, downloadThroughput: 50_000, uploadThroughput: 50_000, latency: 400 }
const MOST_SHIFT = 0.05
/** A page is complete when it requests nothing more for so long, in ms. */
const QUIET = 1_000
const LIGHTHOUSE_ROUNDS = 5
const SEARCHES = 40
/** Between two keys of a fast typist, in ms. */
const KEY_PAUSE = 70

/**
 * What a browser loads at first, on a slow connection too; what Lighthouse thinks of it; how soon the table of users
 * answers.
 */
export const web: Subject = {
  name: 'web',
  about:
    'the web app in Chromium: first load, 400 kbit/s, layout shift, Lighthouse, typing into the search of the users',

  async measure(settings: Settings): Promise<readonly Figure[]> {
    const port = await freePort()
    const executablePath = findChromium()
    if (executablePath === undefined) throw new Error('There is no Chromium: set CHROME_PATH, or install chromium')
    const args = [...chromiumFlags, `--remote-debugging-port=${port}`]
    const browser = await chromium.launch({ executablePath, args })
    settings.say('starting the demo')
    const demo = await startDemo()
    const { trader, admin } = demo
    const auth: Visit = { path: '/auth', shown: 'Login', alarm: alarms.auth, leastScore: 90 }
    const first = { shown: 'Account Balance', alarm: alarms.first, leastScore: 85 }
    const dashboard: Visit = { path: '/', cookie: trader, ...first }
    const visits: readonly Visit[] = [
      auth,
      dashboard,
      { path: '/payouts', cookie: trader, shown: 'Request ID' },
      { path: '/admin/users', cookie: admin, shown: 'Broker Login' },
      { path: '/admin/payouts', cookie: admin, shown: 'Approve' },
    ]
    const others = [
      ['', '/forgot-password', '/reset-password'],
      [trader, '/certificates', '/account-sizes', '/history', '/settings'],
      [admin, '/admin', ...['dashboard', 'staff', 'audit', 'system', 'security'].map((page) => `/admin/${page}`)],
    ].flatMap(([cookie = '', ...paths]) => paths.map((path) => ({ path, cookie })))
    const pages = [...visits, ...others]
    const figures: Figure[] = []
    for (const visit of visits) figures.push(...(await firstLoad(browser, demo.url, visit)))
    for (const visit of [auth, dashboard]) figures.push(...(await slowLoad(browser, demo.url, visit)))
    figures.push(await shifts(browser, demo.url, pages))
    for (const visit of visits) figures.push(await scores(demo.url, visit, port))
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
  readonly alarm?: { readonly kB: number; readonly requests: number }
  /** The performance that Lighthouse must give on a phone, from 0 to 100. */
  readonly leastScore?: number
}

async function openPage(browser: Browser, url: string, cookie = '', width = 1280): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, viewport: { width, height: 800 } })
  const pairs = cookie.split('; ').filter((pair) => pair !== '')
  await context.addCookies(
    pairs.map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1), url })),
  )
  return context.newPage()
}

const isShown = (page: Page, text: string) => page.getByText(text).filter({ visible: true }).first().waitFor()

async function untilQuiet(page: Page, path: string): Promise<void> {
  let newest = performance.now()
  page.on('request', () => (newest = performance.now()))
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  while (performance.now() - newest < QUIET) await new Promise((resolve) => setTimeout(resolve, 100))
}

async function firstLoad(browser: Browser, url: string, { path, cookie, shown, alarm }: Visit): Promise<Figure[]> {
  const page = await openPage(browser, url, cookie)
  const sizes: Promise<number>[] = []
  let requests = 0
  page.on('request', (request) => {
    requests += 1
    if (!['script', 'stylesheet'].includes(request.resourceType())) return
    sizes.push(request.response().then(async () => (await request.sizes()).responseBodySize))
  })
  await untilQuiet(page, path)
  await isShown(page, shown)
  const kB = (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0) / 1_000
  await page.context().close()
  const details = `${sizes.length} files of JS and CSS`
  const what = `first load of ${nameOf(path, cookie)}`
  if (!alarm) return [{ what, value: `${whole(kB)} kB, ${details}, ${requests} requests` }]
  return [
    below(what, alarm.kB, kB, 'kB', details),
    { what: '  requests', value: `${requests}`, goal: atMost(alarm.requests, requests) },
  ]
}

const nameOf = (path: string, cookie?: string) => `${path}${cookie ? ' signed in' : ''}`
const atMost = (most: number, seen: number) => ({ text: `≤ ${most}`, met: seen <= most })

/**
 * From the click on a link of another site until the first word is painted, and until the page shows its content, at
 * 390 px.
 */
async function slowLoad(browser: Browser, url: string, { path, cookie, shown }: Visit): Promise<Figure[]> {
  const page = await openPage(browser, url, cookie, 390)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', SLOW)
  const began = performance.now()
  await page.goto(path, { waitUntil: 'commit' })
  await isShown(page, shown)
  const complete = (performance.now() - began) / 1_000
  const paint = await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime`)
  await page.context().close()
  const what = `${nameOf(path, cookie)} at 400 kbit/s and 400 ms`
  return [
    below(`${what}: a word about what happens`, 2, z.number().parse(paint) / 1_000, 's'),
    below('  main content', 7, complete, 's'),
  ]
}

/** The most that any page moves by itself while it loads, as Chromium adds it up. */
async function shifts(
  browser: Browser,
  url: string,
  visits: readonly Pick<Visit, 'path' | 'cookie'>[],
): Promise<Figure> {
  const seen: { readonly name: string; readonly shift: number }[] = []
  for (const width of [390, 1280])
    for (const { path, cookie } of visits) {
      const page = await openPage(browser, url, cookie, width)
      await page.addInitScript(watchShifts)
      await untilQuiet(page, path)
      seen.push({ name: `${path} at ${width} px`, shift: z.number().parse(await page.evaluate('layoutShift')) })
      await page.context().close()
    }
  const worst = seen.toSorted((one, other) => other.shift - one.shift)
  const most = worst[0]?.shift ?? Infinity
  const details = worst.slice(0, 3).map(({ name, shift }) => `${name} ${shift.toFixed(3)}`)
  return {
    what: `layout shift of ${visits.length} pages at two widths, the most`,
    value: details.join(', '),
    goal: atMost(MOST_SHIFT, most),
  }
}

/** Runs in the page before its own scripts. */
const watchShifts = `
  globalThis.layoutShift = 0
  new PerformanceObserver((list) => list.getEntries().forEach(({ value, hadRecentInput }) => { if (!hadRecentInput) layoutShift += value }))
    .observe({ type: 'layout-shift', buffered: true })`

/** Scores of Lighthouse from 0 to 100, as on a phone in a slow network. */
async function scores(url: string, { path, cookie, leastScore }: Visit, port: number): Promise<Figure> {
  const seen = new Map<string, number[]>()
  for (let round = 0; round < LIGHTHOUSE_ROUNDS; round++) {
    const extraHeaders = cookie && { extraHeaders: { Cookie: cookie } }
    const report = (await lighthouse(`${url}${path}`, { port, logLevel: 'error', ...extraHeaders }))?.lhr
    if (!report || report.runtimeError)
      throw new Error(`Lighthouse could not open ${path}: ${report?.runtimeError?.message ?? 'no report'}`)
    for (const category of ['performance', 'accessibility', 'best-practices']) {
      const score = Math.round((report.categories[category]?.score ?? 0) * 100)
      seen.set(category, [...(seen.get(category) ?? []), score])
    }
  }
  const [all = [], ...others] = [...seen.values()]
  const [performance, [accessibility, practices]] = [median(all), others.map(median)]
  const range = `${Math.min(...all)} to ${Math.max(...all)}`
  const met = performance >= (leastScore ?? 0) && accessibility === 100 && practices === 100
  return {
    what: `Lighthouse mobile, ${nameOf(path, cookie)}, median of ${LIGHTHOUSE_ROUNDS}`,
    value: `performance ${performance} (${range}), accessibility ${accessibility}, best practices ${practices}`,
    ...(leastScore !== undefined && { goal: { text: `≥ ${leastScore}, 100, 100`, met } }),
  }
}

/** Types into the search of the administrators' table. */
async function typing(browser: Browser, settings: Settings): Promise<Figure[]> {
  const { dataDir, result } = await largeFirm(settings)
  // Playwright knows no key for other letters.
  const people = result.filter(({ fullName }) => /^[ -~]+$/.test(fullName))
  const { url, cookie, stop } = await openPortal(dataDir)
  const page = await openPage(browser, url, cookie)
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
  const what = `last key to answer in the table of ${whole(settings.users)} users`
  return [
    p95(what, 200, answered, percentiles(answered, 0.5)),
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
