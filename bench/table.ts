import type { Page } from 'playwright-core'
import { z } from 'zod'
import { quantile } from '../test-support/quantile.ts'
import { startChild, startProgram } from './children.ts'
import { openChromium, openWindow } from './chromium.ts'
import { below, type Figure, type Settings, type Subject } from './figures.ts'
import { hashed, nameOf } from './names.ts'
import { ADMIN_KEY, signInAdmin } from './people.ts'
import { whole } from './statistics.ts'

const USERS = Number(process.env['BENCH_USERS'] ?? 200_000)
const SEARCHES = 40
/** From the last key to the next frame with the answer, in ms. */
const SLOWEST_ANSWER = 200
/** What browsers call a long task, in ms. */
const LONG = 50
/** Between two keys of somebody who types fast, in ms. */
const KEY_PAUSE = 70

/** The administrators' table of users in a real browser, over the views of very many users. */
export const usersTable: Subject = {
  name: 'table',
  about: `/admin/users in a browser with ${whole(USERS)} users`,

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    say(`loading ${whole(USERS)} users`)
    const filled = startChild('lists', { count: USERS, adminKey: ADMIN_KEY })
    const { url, dataDir } = await filled.said(z.object({ url: z.string(), dataDir: z.string() }))
    const cookie = await signInAdmin(url)
    // As it is started for people, but for the worker, which would make the views equal to the empty log.
    const program = await startProgram({ service: 'query', dataDir, adminKey: ADMIN_KEY })
    const browser = await openChromium()
    const { page } = await openWindow(browser, program.url, { cookie })
    await page.addInitScript(watchTasks)
    await page.goto('/admin/users')
    await page.locator('tbody tr[data-row]').first().waitFor()
    await longestTask(page)

    const answered: number[] = []
    const typing: number[] = []
    for (let n = 0; n < SEARCHES; n++) {
      const text = typed(n)
      answered.push(await search(page, text))
      typing.push(await longestTask(page))
      if (n % 10 === 9) say(`${n + 1} searches, the last '${text}': ${answered.at(-1)?.toFixed(0)} ms`)
    }
    await page.goto('/admin/users?size=100')
    await page.locator('tbody tr[data-row]').nth(99).waitFor()
    await longestTask(page)
    await scroll(page)
    const scrolling = await longestTask(page)
    const menus: number[] = []
    for (let n = 0; n < 10; n++) {
      await page
        .getByRole('button', { name: /^Actions for/ })
        .nth(n * 7)
        .click()
      await page.getByRole('menu').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      menus.push(await longestTask(page))
    }
    await browser.close()
    await program.stop()
    // Its folder goes with it.
    await filled.stop()
    const p95 = quantile(answered, 0.95)
    const told = (tasks: readonly number[]) => (Math.max(...tasks) === 0 ? `none over ${LONG} ms` : `${Math.max(...tasks).toFixed(0)} ms`)
    return [
      {
        what: 'from the last key to the answer',
        value: `p95 ${p95.toFixed(0)} ms, p50 ${quantile(answered, 0.5).toFixed(0)} ms, of ${SEARCHES} searches`,
        target: below(p95, SLOWEST_ANSWER, ' ms'),
      },
      { what: 'longest task while typing, 25 rows', value: told(typing), target: below(Math.max(...typing), LONG, ' ms') },
      { what: 'longest task while scrolling, 100 rows', value: told([scrolling]), target: below(scrolling, LONG, ' ms') },
      { what: 'longest task while opening menus', value: told(menus), target: below(Math.max(...menus), LONG, ' ms') },
    ]
  },
}

/** Parts of names and emails, short and long: something that somebody is found by. */
function typed(n: number): string {
  const { fullName, email } = nameOf(hashed(n) % USERS)
  const [first = '', last = ''] = fullName.toLowerCase().split(' ')
  return [first, last, last.slice(0, 4), email.split('@')[0] ?? '', fullName.toLowerCase()][n % 5] ?? ''
}

/** Types it as people do and answers how long after the last key every row that is shown fits, in ms. */
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
      // In the next frame it was painted.
      requestAnimationFrame(isAnswered ? () => answer(performance.now() - began) : look)
    }
    look()
  })`)
  await field.press(text.at(-1) ?? '')
  return z.number().parse(await ms)
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(640, 400)
  const bottom = z.number().parse(await page.evaluate('document.documentElement.scrollHeight - innerHeight'))
  for (const direction of [1, -1]) {
    for (let way = 0; way < bottom + 200; way += 200) {
      await page.mouse.wheel(0, 200 * direction)
      await page.evaluate('new Promise(requestAnimationFrame)')
    }
  }
}

/** Runs in the page, before anything of it. */
const watchTasks = `
  globalThis.longTasks = []
  globalThis.taskObserver = new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
  taskObserver.observe({ type: 'longtask' })`

/** The longest task over 50 ms since it was last asked for; 0 without any. */
async function longestTask(page: Page): Promise<number> {
  return z.number().parse(
    await page.evaluate(`(() => {
    longTasks.push(...taskObserver.takeRecords().map(({ duration }) => duration))
    return Math.max(0, ...longTasks.splice(0))
  })()`),
  )
}
