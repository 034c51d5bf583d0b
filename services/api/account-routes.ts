import * as accounts from '#services/modules/accounts/account-api.ts'
import * as performance from './performance-schemas.ts'
import * as users from '#services/modules/users/user-api.ts'
import { answer, conflict, get, notFound, patch, post, throttled, userPath } from './route.ts'

/** The calls about trading accounts. */
export const accountRoutes = {
  ownAccount: get('/api/user/account', 'trader', {
    summary: "The trader's own account, with its platform login",
    position: 'waits',
    answer: answer('The account', accounts.OwnAccount),
    refuses: notFound,
  }),
  ownHistory: get('/api/user/account/history', 'trader', {
    summary: "The balance of the trader's own account over time, with the decisions along the way",
    position: 'waits',
    answer: answer('Points and markers, oldest first', performance.AccountHistory),
  }),
  history: get('/api/admin/user/:id/account/history', 'read', {
    summary: "The balance of a user's account over time, with the decisions along the way",
    params: userPath,
    position: 'waits',
    answer: answer('Points and markers, oldest first', performance.AccountHistory),
  }),
  setAccount: post('/api/admin/user/:id/account', 'change-accounts', {
    summary: "Set the first values of a new user's trading account",
    params: userPath,
    body: accounts.AccountChanges,
    refuses: conflict,
  }),
  changeAccount: patch('/api/admin/user/:id/account', 'change-accounts', {
    summary: 'Change a trading account; absent fields are unchanged',
    params: userPath,
    body: accounts.AccountChanges,
    refuses: conflict,
  }),
  showMasterPassword: post('/api/admin/user/:id/account/master-password', 'show-passwords', {
    summary: 'Show the master password of an account; it is recorded, and the trader sees it in the history',
    params: userPath,
    answer: answer('The master password', users.ShownPassword),
    refuses: { ...conflict, ...throttled },
  }),
}
