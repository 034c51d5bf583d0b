/** The reads of each page that begin with it and need nothing of its address. web/e2e/first-load.test.ts compares. */
const ofPages: Readonly<Record<string, readonly string[]>> = {
  '/': ['/api/user', '/api/user/account', '/api/user/account/history'],
  '/payouts': ['/api/user', '/api/user/account', '/api/user/payouts'],
  '/certificates': ['/api/user', '/api/user/certificates'],
  '/account-sizes': ['/api/user', '/api/offers'],
  '/history': ['/api/user'],
  '/settings': ['/api/user'],
  '/admin/dashboard': ['/api/admin/auth', '/api/admin/stats'],
  '/admin/users': ['/api/admin/auth', '/api/admin/stats'],
  '/admin/payouts': ['/api/admin/auth', '/api/admin/stats'],
}

export const readsOf = (path: string): readonly string[] => ofPages[path] ?? []
