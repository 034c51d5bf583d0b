import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createUsers, traderWithRequests } from './admin-people.ts'
import { describeSite } from './kit.ts'

/**
 * What stands in for a part of a page while it loads has its shape: pages do not move by themselves. All answers of the
 * server come late, so that each page shows what stands in for them first. How much moves at once depends on their order,
 * so it wants a quiet machine.
 */

/** How late an answer comes, in ms: later than the first paint. */
const LATE = 250

/** Half of what the Core Web Vitals call good. */
const MOST_SHIFT = 0.05

const addresses = {
  nobody: ['/auth', '/forgot-password', '/reset-password?token=none'],
  trader: ['/', '/payouts', '/certificates', '/account-sizes', '/history', '/settings', '/partners'],
  staff: [
    ...['/admin', '/admin?tab=payouts', '/admin/dashboard', '/admin/users', '/admin/payouts', '/admin/payouts/batches'],
    ...['/admin/findings', '/admin/imports', '/admin/programmes', '/admin/programmes/two-step-100000', '/admin/tasks'],
    ...['/admin/staff', '/admin/audit', '/admin/audit/TRADER', '/admin/system', '/admin/security'],
  ],
} as const

const pagesOf = (who: string): readonly string[] =>
  z.record(z.string(), z.array(z.string())).parse(addresses)[who] ?? []

/** Runs in the page before its own scripts. What moves after a click counts as wanted. */
const watchShifts = `
  globalThis.layoutShift = 0
  new PerformanceObserver((list) => list.getEntries().forEach(({ value, hadRecentInput }) => { if (!hadRecentInput) layoutShift += value }))
    .observe({ type: 'layout-shift', buffered: true })`

describeSite('a page', (site) => {
  it.each([390, 1280])('does not move by itself while it loads, %i px wide', { timeout: 240_000 }, async (width) => {
    const admin = await site.portal.admin()
    await createUsers(admin, ['Grace Hopper', 'Edsger Dijkstra'])
    const trader = await traderWithRequests(site.portal, admin, 'Ada Lovelace', ['100.00', '300.00', '50.00'])
    const seen: [string, number][] = []
    for (const [who, as] of Object.entries({ nobody: undefined, trader, staff: admin })) {
      const { page } = await site.visit(as && { as })
      await page.setViewportSize({ width, height: 844 })
      await page.addInitScript(watchShifts)
      await page.route('**/api/**', async (route) => {
        await delay(LATE)
        await route.continue().catch(() => {})
      })
      for (const address of pagesOf(who)) {
        await page.goto(address.replace('TRADER', trader.id))
        await page.locator('h1').first().waitFor({ state: 'attached' })
        for (const loading of ['.animate-shimmer', '.spinner', '[aria-busy=true]'])
          await page.locator(loading).first().waitFor({ state: 'detached' })
        await page.waitForLoadState('networkidle')
        seen.push([address, z.number().parse(await page.evaluate('layoutShift'))])
      }
    }
    expect(seen.filter(([, shift]) => shift > MOST_SHIFT)).toEqual([])
  })
})
