//! A queue that is fair between projects, and within a project between its jobs.
//!
//! Hand-written: the crates for fair queues are schedulers with their own threads, and this one is 30 lines.

use std::collections::VecDeque;
use std::sync::Arc;

/// Each job has a first-in, first-out queue. The jobs of a project take turns, and so do the projects.
pub struct FairQueue<T> {
    projects: VecDeque<Project<T>>,
    len: usize,
}

struct Project<T> {
    name: Arc<str>,
    jobs: VecDeque<Job<T>>,
}

struct Job<T> {
    name: Arc<str>,
    items: VecDeque<T>,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { projects: VecDeque::new(), len: 0 }
    }
}

impl<T> FairQueue<T> {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn push(&mut self, project: &Arc<str>, job: &Arc<str>, item: T) {
        let known = self.projects.iter().position(|waiting| waiting.name == *project);
        let index = known.unwrap_or_else(|| {
            self.projects.push_back(Project { name: project.clone(), jobs: VecDeque::new() });
            self.projects.len() - 1
        });
        self.len += 1;
        let jobs = &mut self.projects[index].jobs;
        match jobs.iter_mut().find(|waiting| waiting.name == *job) {
            Some(waiting) => waiting.items.push_back(item),
            None => jobs.push_back(Job { name: job.clone(), items: VecDeque::from([item]) }),
        }
    }

    /// The next item. Its job and its project go to the back of their queues.
    pub fn pop(&mut self) -> Option<T> {
        self.pop_at(0, 0)
    }

    /// The next item of the first job whose next item is wanted, before the turn of this job.
    pub fn pop_wanted(&mut self, is_wanted: impl Fn(&T) -> bool) -> Option<T> {
        let (project, job) = self.projects.iter().enumerate().find_map(|(nth, project)| {
            let wanted = |job: &Job<T>| job.items.front().is_some_and(&is_wanted);
            project.jobs.iter().position(wanted).map(|job| (nth, job))
        })?;
        self.pop_at(project, job)
    }

    fn pop_at(&mut self, project: usize, job: usize) -> Option<T> {
        let mut project = self.projects.remove(project)?;
        self.len -= 1;
        let mut job = project.jobs.remove(job)?;
        let item = job.items.pop_front();
        if !job.items.is_empty() {
            project.jobs.push_back(job);
        }
        if !project.jobs.is_empty() {
            self.projects.push_back(project);
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(pushed: &[(&str, &str, u32)]) -> Vec<u32> {
        let mut queue = FairQueue::default();
        for (project, job, item) in pushed {
            queue.push(&(*project).into(), &(*job).into(), *item);
        }
        assert_eq!(queue.len(), pushed.len());
        let order = std::iter::from_fn(|| queue.pop()).collect();
        assert!(queue.is_empty());
        order
    }

    #[test]
    fn projects_take_turns_even_if_one_has_many_items() {
        let order = drain(&[("a", "1", 1), ("a", "1", 2), ("a", "1", 3), ("b", "1", 10), ("b", "1", 11)]);
        assert_eq!(order, [1, 10, 2, 11, 3]);
    }

    #[test]
    fn jobs_of_a_project_take_turns_and_keep_their_own_order() {
        let order = drain(&[("a", "1", 1), ("a", "1", 2), ("a", "2", 20), ("a", "2", 21)]);
        assert_eq!(order, [1, 20, 2, 21]);
    }

    #[test]
    fn a_wanted_job_goes_first_and_then_to_the_back() {
        let mut queue = FairQueue::default();
        for (project, job, item) in [("a", "1", 1), ("a", "2", 20), ("a", "2", 21), ("b", "1", 10)] {
            queue.push(&project.into(), &job.into(), item);
        }
        assert_eq!(queue.pop_wanted(|item| *item == 21), None);
        assert_eq!(queue.pop_wanted(|item| *item >= 20), Some(20));
        assert_eq!(queue.len(), 3);
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [10, 1, 21]);
    }
}
