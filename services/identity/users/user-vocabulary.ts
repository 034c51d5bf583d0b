/** The orders of the list of users. */

/** Fields that the list of users is sorted by, besides the time of creation. */
const userSorts = ['fullName', 'email', 'login', 'status', 'phase', 'payoutEnabled', 'balance', 'profitLoss'] as const

/** The further orders of the list of users. */
export const userOrders = ['createdAt' as const, ...userSorts.flatMap((field) => [field, `-${field}`] as const)]
