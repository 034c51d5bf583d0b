import { z } from 'zod'
import * as sessions from '#services/modules/sign-in/sign-in-api.ts'
import * as users from '#services/modules/users/user-api.ts'
import { answer, conflict, CSV_TYPE, del, file, get, patch, post, throttled, userPath } from './route.ts'

/** The calls about users. */
export const userRoutes = {
  currentUser: get('/api/user', 'trader', {
    summary: 'Who is signed in',
    position: 'waits',
    answer: answer('The signed-in user', sessions.User),
  }),
  register: post('/api/register', 'public', {
    summary: 'Register, open a trading account and sign in',
    body: sessions.Registration,
    position: 'answers',
    answer: answer('The new user, signed in', sessions.User),
    status: 201,
    refuses: { ...conflict, ...throttled },
  }),
  revertEmail: post('/api/revert-email', 'public', {
    summary: 'Take a change of email back with the token mailed to the address before; ends every session and mails a link to set a password',
    body: sessions.EmailRevert,
    position: 'answers',
    refuses: { ...conflict, ...throttled },
  }),
  changeProfile: patch('/api/user/profile', 'trader', {
    summary: 'Change email or address; absent fields are unchanged',
    body: sessions.ProfileChanges,
    refuses: { ...conflict, ...throttled },
  }),
  users: get('/api/admin/users', 'read', {
    summary: 'All users with their trading accounts',
    query: users.UserList,
    paged: true,
    position: 'waits',
    answer: answer('A page of users', z.array(users.ListedUser)),
  }),
  usersExport: get('/api/admin/users.csv', 'export', {
    summary: 'The filtered list of users as CSV, without pagination and master passwords',
    query: users.UserExport,
    position: 'waits',
    answer: file(CSV_TYPE),
    refuses: throttled,
  }),
  createUser: post('/api/admin/users', 'change-accounts', {
    summary: 'Create a user with a trading account; the user sets a password by a mailed link',
    body: users.NewUser,
    answer: answer('The new user', sessions.User),
    status: 201,
    refuses: conflict,
  }),
  user: get('/api/admin/user/:id', 'read', {
    summary: 'One user with the trading account; its master password is masked',
    params: userPath,
    position: 'waits',
    answer: answer('The user', users.UserDetails),
  }),
  changeUser: patch('/api/admin/user/:id', 'edit-users', {
    summary: "Change a user's name, email or address; what is not sent stays as it is",
    params: userPath,
    body: users.UserChanges,
    refuses: conflict,
  }),
  deleteUser: del('/api/admin/user/:id', 'delete-users', {
    summary: 'Delete a user: ends sessions, frees the email and erases personal data for good',
    params: userPath,
    refuses: conflict,
  }),
  banUser: patch('/api/admin/user/:id/ban', 'ban-users', {
    summary: 'Ban a user with a reason, or unban one',
    params: userPath,
    body: users.Ban,
    refuses: conflict,
  }),
}
