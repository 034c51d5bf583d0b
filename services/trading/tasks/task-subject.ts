import { subject } from '#services/framework/subject.ts'
import { taskRoutes } from './task-api.ts'

/** Tasks: the half that runs anywhere. Accounts and their events say what is to be done. */
export const taskSubject = subject({
  title: 'Tasks',
  about: 'What staff have to do on the trading platform',
  routes: taskRoutes,
})
