package org.mqproof.report.lint;

import java.util.List;

/**
 * What one file was judged to be. Immutable.
 *
 * @param findings in the order of its rows
 * @param rows how many it has
 * @param judged how many comparisons with a law were made; 0 says nothing of the file
 * @param unread cells that should be numbers and are not
 */
record Report(List<Finding> findings, int rows, int judged, List<String> unread) {}
