import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { build, preview } from 'vite'
import { freePort } from '#test-support/servers/ports.ts'
import { createUsers } from './admin-people.ts'
import { describeSite } from './kit.ts'

/** Serves the app with React's checks: it reports what it finds wrong, and runs each effect twice (StrictMode). */
async function serveWithChecks(portal: string): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'proofdesk-development-'))
  const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url))
  // React is itself in a test, where NODE_ENV is not 'production'.
  await build({ configFile, logLevel: 'error', build: { outDir, minify: false } })
  const server = await preview({
    configFile,
    build: { outDir },
    preview: { host: '127.0.0.1', port: await freePort(), strictPort: true, proxy: { '/api': portal } },
  })
  onTestFinished(async () => {
    await server.close()
    await rm(outDir, { recursive: true })
  })
  return String(server.resolvedUrls?.local[0]).replace(/\/$/, '')
}

describeSite('the app with the checks of React', (site) => {
  it('reports no warning on any screen', { timeout: 240_000 }, async () => {
    const [trader, admin] = await Promise.all([site.portal.trader(), site.portal.admin()])
    const [other] = await createUsers(admin, ['Grace Hopper'])
    await admin.patch(`/api/admin/user/${trader.id}/account`, {
      balance: '10000.00',
      status: 'active',
      phase: 'Funded',
      payoutEnabled: true,
    })
    await trader.post('/api/user/payouts', { amount: '100.00', paymentMethod: 'bank', paymentDetails: '' })
    const address = await serveWithChecks(site.portal.url)
    const { page, context, open, follow, allowStatus, problems } = await site.visit({ at: address })
    allowStatus(401)
    const visitor = [
      '/auth',
      '/auth#register',
      '/forgot-password',
      '/reset-password?token=x',
      '/revert-email?token=x',
      '/nothing/here',
    ]
    const traders = [
      '/',
      '/?tab=performance',
      '/payouts',
      '/certificates',
      '/account-sizes',
      '/history',
      '/settings',
      '/partners',
    ]
    const staff = [
      ...[
        '/admin',
        '/admin?tab=payouts',
        '/admin/dashboard',
        '/admin/users',
        '/admin/payouts',
        '/admin/staff',
        '/admin/system',
        '/admin/security',
      ],
      ...[
        '/admin/audit',
        '/admin/audit/facts',
        `/admin/audit/${trader.id}`,
        `/admin/users?user=${other?.id}&form=edit`,
      ],
      ...[
        `/admin/users?user=${trader.id}`,
        `/admin/users?user=${trader.id}&form=certificate`,
        `/admin/users?user=${trader.id}&form=breached`,
      ],
    ]
    let reports = 0
    page.on('console', (message) => (reports += Number(message.text().includes('React DevTools'))))
    const visit = async (path: string) => {
      await follow(path)
      await page.locator('h1').first().waitFor({ state: 'attached' })
      await expect.poll(() => page.locator('[role=status]:has-text("Loading")').count()).toBe(0)
      expect([path, problems]).toEqual([path, []])
    }
    await open('/auth')
    for (const path of visitor) await visit(path)
    for (const [client, path, paths] of [
      [trader, '/', traders],
      [admin, '/admin', staff],
    ] as const) {
      await context.clearCookies()
      await context.addCookies([...client.cookies].map(([name, value]) => ({ name, value, url: address })))
      await open(path)
      for (const next of paths) await visit(next)
    }
    // Only React's development build says this, once for each document.
    expect(reports).toBe(3)
  })
})
