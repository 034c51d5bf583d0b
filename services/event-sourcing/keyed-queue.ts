/** Runs tasks with the same key one at a time, each as soon as the previous one has settled. */
export function createKeyedQueue() {
  const last = new Map<string, Promise<unknown>>()
  return <Result>(key: string, task: () => Promise<Result>): Promise<Result> => {
    const result = last.get(key)?.then(task, task) ?? task()
    last.set(key, result)
    const leave = () => {
      if (last.get(key) === result) last.delete(key)
    }
    result.then(leave, leave)
    return result
  }
}
